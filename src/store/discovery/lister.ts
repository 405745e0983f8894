// Where the assets of a run come from, as discovery sees it: files of a connector or objects of the platform.

import type { Refs } from '../../plan/refs.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import type { ImportPlan } from '../../textures/plan-import.ts';
import type { UdimTiles } from '../../textures/udim-tiles.ts';
import type { Unnamed } from './asset-keys.ts';

export interface ListedSource {
  unnamed: Unnamed;
  source: AssetSource;
  /** Refs of things that the platform has of it already. */
  refs?: Refs;
  /** When the platform made it, milliseconds since the epoch; absent where it does not say. */
  madeAtMs?: number;
}

export interface Listed {
  found: ListedSource[];
  /** Sources that are there, or were asked for, and cannot become an asset. */
  refused: Failure[];
  /** How files were grouped; only of a lister that groups. */
  grouping?: Grouping;
}

/** The groups that the files of a library form, for people to look at before anything is sent. */
export interface Grouping {
  props: number;
  decals: number;
  /** Images of each material by channel; all others, by why they are in none. */
  textures: ImportPlan;
  /** UDIM tiles among them; absent: none. */
  tiles?: UdimTiles;
}

/** How far a stretch of a listing goes: to so many names, or for so long, whichever is first. */
export interface StretchLimits {
  names: number;
  ms: number;
  /** Told how many were listed so far. */
  told?: (listed: number) => void;
}

export interface ListedStretch extends Listed {
  /** Path of its last file, which the next stretch begins behind; null where nothing is left. */
  after: string | null;
}

export interface Lister {
  list(signal: AbortSignal | undefined): Promise<Listed>;
  /** A part of the list, in the order of names, behind a path or from the beginning; absent where only the whole tells what is an asset. */
  stretch?(
    after: string,
    limits: StretchLimits,
    signal: AbortSignal | undefined,
  ): Promise<ListedStretch>;
  /** Parts files that still change from others; absent where nothing can be half there. */
  settle?(
    sources: readonly AssetSource[],
    signal: AbortSignal | undefined,
  ): Promise<{ stable: AssetSource[]; later: string[] }>;
  /** sha256 (hex) of a source's content; absent where it cannot be read. */
  hash?(source: AssetSource, signal: AbortSignal | undefined): Promise<string>;
  /** True where something lies at a path, or nobody can tell. */
  isThere?(path: string, signal: AbortSignal | undefined): Promise<boolean>;
}

/** Tells a source from all others of its lister. */
export function identityOf({ id, path }: AssetSource): string {
  return id ?? path;
}
