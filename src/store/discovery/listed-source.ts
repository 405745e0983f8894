// The sources of a run's assets: files of a connector, rows of a table, or objects of the platform.

import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetSource, Failure } from '../../plan/types.ts';
import type { ImportPlan } from '../../textures/plan-import.ts';
import type { UdimTiles } from '../../textures/udim-tiles.ts';
import type { UnkeyedSource } from './asset-keys.ts';

export interface ListedSource {
  unkeyed: UnkeyedSource;
  source: AssetSource;
  /** Ids of resources that the platform already has for the source. */
  platformIds?: PlatformIds;
  /** When the platform created the object, epoch ms. Absent if unknown. */
  madeAtMs?: number;
}

export interface ListedSources {
  sources: ListedSource[];
  /** Sources that exist, or were selected, but cannot become an asset. */
  failures: Failure[];
  /** How files were grouped. Set only if the lister groups. */
  grouping?: Grouping;
}

/** The groups of a library's files, shown to people before anything is sent. */
export interface Grouping {
  props: number;
  decals: number;
  /** Pictures of each material by channel, and unused pictures by reason. */
  textures: ImportPlan;
  tiles?: UdimTiles;
}

/** Limits of a discovery page, by number of names and by time. Whichever is reached first counts. */
export interface PageLimits {
  names: number;
  ms: number;
  onListed?: (count: number) => void;
}

export interface ListedPage extends ListedSources {
  /** The next page starts after this path, or after this number of rows. Null if nothing remains. */
  after: string | null;
}

export interface Lister {
  list(signal: AbortSignal | undefined): Promise<ListedSources>;
  /**
   * One page of the listing, from the start or after the previous page. Files are in the order of their names, rows in
   * the order of their table. Absent if only the whole listing shows which sources are assets.
   */
  listPage?(
    after: string,
    limits: PageLimits,
    signal: AbortSignal | undefined,
  ): Promise<ListedPage>;
  /** Separates files that are changing. Absent if sources are never incomplete. */
  splitStable?(
    sources: readonly AssetSource[],
    signal: AbortSignal | undefined,
  ): Promise<{ stable: AssetSource[]; later: string[] }>;
  /** sha256 (hex) of a source's content. Absent if the content cannot be read. */
  hash?(source: AssetSource, signal: AbortSignal | undefined): Promise<string>;
  /** True if a file exists at the path, or if the connector refuses to check this one path. */
  exists?(path: string, signal: AbortSignal | undefined): Promise<boolean>;
}

/** Identifies a source within its lister. */
export function sourceIdOf({ id, rowKey, path }: AssetSource): string {
  return id ?? rowKey ?? path;
}
