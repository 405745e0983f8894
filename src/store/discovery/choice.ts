// The assets that a person chose for one run, of all that its root lists.
import type { AssetSource } from '../../plan/types.ts';
import type { Standing } from './classify.ts';

export interface Choice {
  takes(asset: { key: string; source: AssetSource }, reason: Standing['reason']): boolean;
  /** Of a source that is refused only its name is known. */
  takesRefused(name: string): boolean;
  /** Takes what is unchanged as well. */
  readonly force: boolean;
}
