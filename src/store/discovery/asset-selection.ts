// The assets that a person selected for one run.
import type { AssetSource } from '../../plan/types.ts';
import type { AssetStatus } from './classify.ts';

export interface Choice {
  takes(asset: { key: string; source: AssetSource }, reason: AssetStatus['reason']): boolean;
  /** Only the name of a refused source is known. */
  takesRefused(name: string): boolean;
  /** Takes unchanged assets as well. */
  readonly force: boolean;
}
