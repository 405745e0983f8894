// Where the assets of a run come from, as discovery sees it: files of a connector or objects of the platform.

import type { Refs } from '../../plan/refs.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import type { ImportPlan } from '../../textures/plan-import.ts';
import type { Unnamed } from './asset-keys.ts';

export interface Found {
  unnamed: Unnamed;
  source: AssetSource;
  /** What the platform has of it already. */
  refs?: Refs;
  /** When the platform made it, milliseconds since the epoch; absent where it does not say. */
  madeAtMs?: number;
}

export interface Listed {
  found: Found[];
  /** What is there, or was asked for, and cannot become an asset. */
  refused: Failure[];
  /** How files were grouped; only of a lister that groups. */
  grouping?: Grouping;
}

/** What became of the files of a library, for people to look at before anything is sent. */
export interface Grouping {
  props: number;
  decals: number;
  /** Images of each material by channel; all others, by why they are in none. */
  textures: ImportPlan;
}

export interface Lister {
  list(signal: AbortSignal | undefined): Promise<Listed>;
  /** Parts what still changes from what does not; absent where nothing can be half there. */
  settle?(
    sources: readonly AssetSource[],
    signal: AbortSignal | undefined,
  ): Promise<{ stable: AssetSource[]; later: string[] }>;
  /** sha256 (hex) of a source's content; absent where it cannot be read. */
  hash?(source: AssetSource, signal: AbortSignal | undefined): Promise<string>;
}

/** What tells a source from all others of its lister. */
export function identityOf({ id, path }: AssetSource): string {
  return id ?? path;
}
