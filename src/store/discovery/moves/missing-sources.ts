// Delivered assets whose source, or whose row of the grid, is missing, according to a complete listing.
import type { Connector } from '../../../connectors/connector.ts';
import { ConnectorError } from '../../../connectors/connector-error.ts';
import { pathFailures } from '../../../failures/storage.ts';
import type { RunWarning } from '../../../plan/contract/contract.ts';
import { memoize } from '../../../plan/helpers/memoize.ts';
import type { Failure } from '../../../plan/types.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { decodeKey } from '../../objects/object-name.ts';
import { isCell, modelKeyOf } from '../../records/cell-keys.ts';
import type { AssetRecord, RecordEntry, RecordIndex } from '../../records/records.ts';
import { findWithdrawal } from '../../records/withdrawal-state.ts';
import type { RunStore } from '../../runs/run-store.ts';
import { foldKey } from '../asset-keys.ts';

export interface WholeListing {
  index: RecordIndex;
  /** Number of existing sources, including refused ones. */
  total: number;
  refused: readonly Pick<Failure, 'code' | 'key'>[];
  /** True for the key of a listed asset or of a listed model. */
  isListed: (key: string) => boolean;
}

/** Where sources are, to check whether they are really missing. */
export interface SourceLocation {
  connector: Connector;
  /** Identifies this location among those that the pipeline has listed with other parameters. */
  mark: string;
  /** True if models become cells. In that case, a cell that the grid no longer has is missing. */
  hasGrid: boolean;
}

export interface MissingSource {
  entry: RecordEntry;
  record: AssetRecord;
}

export interface MissingSources {
  records: MissingSource[];
  warnings: RunWarning[];
}

export type FindMissingSources = (
  store: RunStore,
  listing: WholeListing,
  signal?: AbortSignal,
) => Promise<MissingSources>;

/** False if the listing may have left something out. */
export function isListingComplete({
  refused,
}: {
  refused: readonly Pick<Failure, 'code'>[];
}): boolean {
  return !refused.some(({ code }) => code === pathFailures.UNREADABLE.code);
}

/** Counts the delivered assets, without withdrawn ones. */
export function countDelivered(index: RecordIndex): number {
  let count = 0;
  for (const entry of index.entries()) if (findWithdrawal(entry) === null) count += 1;
  return count;
}

/**
 * Finds the assets whose source or cell is missing. Each source is checked at its path, since a listing may be
 * incomplete. If only the file of a row is missing, the asset is not missing.
 */
export async function listMissingSources(
  listing: WholeListing,
  location: SourceLocation,
  store: RunStore,
  signal?: AbortSignal,
): Promise<MissingSource[]> {
  const absent: RecordEntry[] = [];
  for (const entry of listing.index.entries()) {
    if (findWithdrawal(entry) === 'withdrawn') continue;
    const key = decodeKey(entry.key);
    // A long name does not contain its whole key, but the record does.
    if (key === null || !listing.isListed(key)) absent.push(entry);
  }
  const isOfThisLocation = createLocationCheck(store, location.mark);
  // A row without a key is refused under the path of its file.
  const refusedKeys = new Set(listing.refused.map(({ key }) => foldKey(key)));
  const read = async (entry: RecordEntry): Promise<MissingSource[]> => {
    const record = await store.records.read(entry.name);
    if (record === null || listing.isListed(record.key)) return [];
    if (!(await isOfThisLocation(record))) return [];
    const { rowKey, path } = record.source;
    const isMissing =
      rowKey === undefined
        ? isCellMissing(record, listing, location) || (await isSourceMissing(record, location))
        : !refusedKeys.has(foldKey(rowKey)) && !refusedKeys.has(foldKey(path));
    return isMissing ? [{ entry, record }] : [];
  };
  return (await mapBounded(absent, read, { maxConcurrent: 32, signal })).flat();
}

/**
 * Returns a check whether the run of a record listed this location, with the same tables.
 * @param parametersHash the run must also have had these parameters. If absent, any
 */
export function createLocationCheck(
  store: Pick<RunStore, 'runAssetsOf'>,
  location: string | undefined,
  parametersHash?: string,
): (record: Pick<AssetRecord, 'run'>) => Promise<boolean> {
  const headOf = memoize((run) => store.runAssetsOf(run).head());
  return async ({ run }) => {
    const head = await headOf(run);
    return (
      head?.location === location &&
      (parametersHash ?? head?.parametersHash) === head?.parametersHash
    );
  };
}

/** True for a cell whose model exists but which is no longer in the grid. */
function isCellMissing(
  record: AssetRecord,
  { isListed }: WholeListing,
  { hasGrid }: SourceLocation,
): boolean {
  return hasGrid && isCell(record) && isListed(modelKeyOf(record));
}

/** True if the connector reports that the file does not exist. */
export async function isSourceMissing(
  { source }: Pick<AssetRecord, 'source'>,
  { connector }: Pick<SourceLocation, 'connector'>,
): Promise<boolean> {
  // Platform objects and sets of files have no single path to check.
  if (source.id !== undefined || source.set !== undefined) return false;
  try {
    return (await connector.stat(source.path)) === null;
  } catch (error) {
    if (error instanceof ConnectorError && error.isOfOneFile) return false;
    throw error;
  }
}
