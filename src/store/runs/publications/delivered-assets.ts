// All delivered files by asset, in the order of record names. Keeps the names of claims and 256 records in memory.
import { memoize } from '../../../plan/helpers/memoize.ts';
import type { PlatformIds } from '../../../plan/platform-ids.ts';
import type { AssetSource, DeliveredFile } from '../../../plan/types.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import type { AssetRecord, NamesOfKey } from '../../records/records.ts';
import type { RunAssets } from '../run-assets.ts';
import type { RunStore } from '../run-store.ts';

export interface DeliveredAsset {
  /** Encoded key of the asset. Assets are sorted by it. */
  name: string;
  key: string;
  source: AssetSource;
  platformIds: PlatformIds;
  files: PlacedFile[];
}

/** A delivered file, with the run that finished its asset, and when (ISO 8601). */
export type PlacedFile = DeliveredFile & { run: string; at: string };

/** Maximum number of attempts to read a record, since a run may replace the record at any time. */
const maxReads = 5;
const pageSize = 256;
const maxConcurrentReads = 32;

/** @param signal aborts the reads */
export async function* readDeliveredAssets(
  store: RunStore,
  signal?: AbortSignal,
): AsyncGenerator<DeliveredAsset> {
  const claims = [...(await store.claims.names(signal)).names()].sort(compareKeys);
  const reader = { store, runAssetsOf: memoize((run) => store.runAssetsOf(run)), signal };
  let page: ListedRecords[] = [];
  for await (const entry of withClaims(store.records.namesByKey(signal), claims)) {
    page.push(entry);
    if (page.length < pageSize) continue;
    yield* await readPage(page, reader);
    page = [];
  }
  yield* await readPage(page, reader);
}

interface Reader {
  store: RunStore;
  /** Cached for each run, since claims of one shard share a page of its run assets. */
  runAssetsOf: (run: string) => RunAssets;
  signal?: AbortSignal | undefined;
}

/** There are no names for an asset that was never complete. */
interface ListedRecords extends NamesOfKey {
  isClaimed: boolean;
}

async function readPage(page: readonly ListedRecords[], reader: Reader): Promise<DeliveredAsset[]> {
  const { signal } = reader;
  const read = (entry: ListedRecords) => readAsset(entry, reader);
  const assets = await mapBounded(page, read, { maxConcurrent: maxConcurrentReads, signal });
  return assets.filter((asset) => asset !== null);
}

/** Adds keys with a claim but no record, and marks those with both. Both lists are in `compareKeys` order. */
async function* withClaims(
  records: AsyncIterable<NamesOfKey>,
  claims: readonly string[],
): AsyncGenerator<ListedRecords> {
  let index = 0;
  const claimsBefore = function* (name: string | null): Generator<ListedRecords> {
    for (; index < claims.length; index += 1) {
      const claim = claims[index] ?? '';
      if (name !== null && compareKeys(claim, name) >= 0) return;
      yield { key: claim, names: [], isClaimed: true };
    }
  };
  for await (const entry of records) {
    yield* claimsBefore(entry.key);
    const isClaimed = claims[index] === entry.key;
    if (isClaimed) index += 1;
    yield { ...entry, isClaimed };
  }
  yield* claimsBefore(null);
}

/** Compares encoded keys in the order in which records are listed. Record names continue with `@` after the key. */
export function compareKeys(a: string, b: string): number {
  if (a === b) return 0;
  return `${a}@` < `${b}@` ? -1 : 1;
}

/** Returns the delivered files of an asset, or null if it has none. */
async function readAsset(
  { key: name, names, isClaimed }: ListedRecords,
  reader: Reader,
): Promise<DeliveredAsset | null> {
  const record = names.length === 0 ? null : await readNewest({ key: name, names }, reader);
  const claimedAsset = isClaimed ? await readClaimed(name, record, reader) : null;
  const asset = record ?? claimedAsset;
  if (asset === null) return null;
  const newer = claimedAsset?.files ?? [];
  const isReplaced = ({ path }: DeliveredFile) => newer.some((file) => file.path === path);
  const placed = (record?.files ?? [])
    .filter((file) => file.withdrawn === undefined && !isReplaced(file))
    .map((file) => ({ ...file, run: record?.run ?? '', at: record?.finishedAt ?? '' }));
  const { key, source, platformIds } = asset;
  const files = [...placed, ...newer];
  return files.length === 0 ? null : { name, key, source, platformIds, files };
}

/** Returns the newest record of a key, or null if none can be read. Another run may replace the record at any time. */
async function readNewest(
  entry: NamesOfKey,
  { store: { records }, signal }: Reader,
): Promise<AssetRecord | null> {
  let { names } = entry;
  for (let reads = 1; names.length > 0; reads += 1) {
    const record = await records.readNewest(names);
    if (record !== null || reads === maxReads) return record;
    names = [];
    for await (const name of records.names({ signal, start: `${entry.key}@` })) names.push(name);
  }
  return null;
}

/** Reads what exports have delivered for an incomplete asset, for example one whose other export has failed. */
async function readClaimed(
  name: string,
  record: AssetRecord | null,
  { store, runAssetsOf }: Reader,
): Promise<Omit<DeliveredAsset, 'name'> | null> {
  const claim = await store.claims.readNamed(name);
  const { delivered = [], ...platformIds } = claim?.platformIds ?? {};
  if (claim === null || delivered.length === 0) return null;
  const { key, run, shard, at } = claim;
  const page = record ? [] : await runAssetsOf(run).page(shard);
  const source = record?.source ?? page.find((asset) => asset.key === key)?.source;
  const files = delivered
    .filter(({ withdrawn }) => withdrawn === undefined)
    .map((file) => ({ ...file, run, at }));
  const placeholderSource = { path: key, bytes: 0, mtimeMs: 0, version: claim.version };
  return { key, source: source ?? placeholderSource, platformIds, files };
}
