// Delivered assets whose source, or whose row of the grid, is gone: what a whole listing says about the records.
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { pathFailures } from '../../failures/places.ts';
import type { RunWarning } from '../../plan/contract.ts';
import type { Failure } from '../../plan/types.ts';
import { mapBounded } from '../objects/bounded.ts';
import { decodeKey } from '../objects/object-name.ts';
import { isCell, modelKeyOf } from '../records/asset-names.ts';
import type { AssetRecord, RecordEntry, RecordIndex } from '../records/records.ts';
import { withdrawalOf } from '../records/withdrawn.ts';
import type { RunStore } from '../runs/run-store.ts';

/** A whole listing of a source. */
export interface WholeListing {
  index: RecordIndex;
  /** Sources that are there, also refused ones. */
  total: number;
  refused: readonly Pick<Failure, 'code'>[];
  /** True for the key of an asset, or of its model. */
  isListed: (key: string) => boolean;
}

/** Where sources lie, as far as their absence tells anything. */
export interface SourcePlace {
  connector: Connector;
  /** Tells the place from others that the pipeline has listed, in a run with other parameters. */
  mark: string;
  /** Models become cells here: one that its grid has no more is gone. */
  hasGrid: boolean;
}

/** A record as a listing named it, and as it was read. */
export interface GoneRecord {
  entry: RecordEntry;
  record: AssetRecord;
}

/** What a run withdraws, and what it says about it. */
export interface FoundGone {
  records: GoneRecord[];
  warnings: RunWarning[];
}

export type FindGone = (
  store: RunStore,
  listing: WholeListing,
  signal?: AbortSignal,
) => Promise<FoundGone>;

/** False where some of what is there may not have been listed. */
export function isComplete({ refused }: Pick<WholeListing, 'refused'>): boolean {
  return !refused.some(({ code }) => code === pathFailures.UNREADABLE.code);
}

/** Delivered assets, without those that are withdrawn. */
export function deliveredOf(index: RecordIndex): number {
  let delivered = 0;
  for (const entry of index.entries()) if (withdrawalOf(entry) === null) delivered += 1;
  return delivered;
}

/** Each is looked for where it lay: what a listing leaves out is not gone because of that. */
export async function goneRecords(
  listing: WholeListing,
  place: SourcePlace,
  store: RunStore,
  signal?: AbortSignal,
): Promise<GoneRecord[]> {
  const absent: RecordEntry[] = [];
  for (const entry of listing.index.entries()) {
    if (withdrawalOf(entry) === 'withdrawn') continue;
    const key = decodeKey(entry.key);
    // The key of a long name stands in its record.
    if (key === null || !listing.isListed(key)) absent.push(entry);
  }
  const places = new Places(store, place);
  const read = async (entry: RecordEntry): Promise<GoneRecord[]> => {
    const record = await store.records.read(entry.name);
    if (record === null || listing.isListed(record.key)) return [];
    if (!(await places.has(record.run))) return [];
    const isGone = isRowGone(record, listing, place) || (await isSourceGone(record, place));
    return isGone ? [{ entry, record }] : [];
  };
  return (await mapBounded(absent, read, { atOnce: 32, signal })).flat();
}

/** True for a cell whose model is there, and which the grid has no more. */
function isRowGone(
  record: AssetRecord,
  { isListed }: WholeListing,
  { hasGrid }: SourcePlace,
): boolean {
  return hasGrid && isCell(record) && isListed(modelKeyOf(record));
}

/** True where the place says that the file is not there. */
export async function isSourceGone(
  { source }: Pick<AssetRecord, 'source'>,
  { connector }: Pick<SourcePlace, 'connector'>,
): Promise<boolean> {
  // Objects of the platform, and files that make up one source together, are not looked for by a path.
  if (source.id !== undefined || source.set !== undefined) return false;
  try {
    return (await connector.stat(source.path)) === null;
  } catch (error) {
    if (error instanceof ConnectorError && error.isOfOneFile) return false;
    throw error;
  }
}

/** Places that earlier runs listed, each read once. */
class Places {
  readonly #store: RunStore;
  readonly #place: SourcePlace;
  readonly #ofRuns = new Map<string, Promise<boolean>>();

  constructor(store: RunStore, place: SourcePlace) {
    this.#store = store;
    this.#place = place;
  }

  /** True where the run listed this place. */
  has(run: string): Promise<boolean> {
    const known = this.#ofRuns.get(run) ?? this.#read(run);
    this.#ofRuns.set(run, known);
    return known;
  }

  /** Runs of earlier versions did not say: theirs is this place where no run had other parameters. */
  async #read(run: string): Promise<boolean> {
    const mark = await this.#store.placeOf(run);
    if (mark !== null) return mark === this.#place.mark;
    const sets = await this.#store.parameterSets.all();
    return sets !== null && sets.length <= 1;
  }
}
