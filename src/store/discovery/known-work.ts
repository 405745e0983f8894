// What discovery compares a listing with: records and claims of earlier runs, and the keys that the run has assigned so
// far. Listing a million records takes minutes, so a run that discovers in pages lists them only once on each worker.
import type { AssetSource } from '../../plan/types.ts';
import type { ClaimedKeys, Claims } from '../claims/claims.ts';
import { type OpenMove, openMoves } from '../claims/moves.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { NameTable } from '../objects/name-table.ts';
import { encodeKey } from '../objects/object-name.ts';
import { RunCache } from '../objects/run-cache.ts';
import type { IdRules } from '../records/id-rules.ts';
import { isSameVersion, type RecordIndex, type Records } from '../records/records.ts';
import { partsOf, type RunAssetsHead } from '../runs/run-assets-heads.ts';
import type { RunStore } from '../runs/run-store.ts';
import {
  foldKey,
  type KeyHistory,
  type TakenKey,
  type TakenKeys,
  type UnkeyedSource,
} from './asset-keys.ts';
import type { Grid } from './grid/grid.ts';
import { sourceIdOf } from './listed-source.ts';

export interface KnownWork {
  index: RecordIndex;
  claimed: ClaimedKeys;
  /** Moves of records that a run has written but not finished. */
  moves: OpenMove[];
}

export async function readKnownWork(
  { records, claims }: Pick<RunStore, 'records' | 'claims'>,
  signal?: AbortSignal,
): Promise<KnownWork> {
  const names: string[] = [];
  const [index, claimed] = await Promise.all([records.index(signal), claims.names(signal, names)]);
  return { index, claimed, moves: await openMoves({ records, claims }, names) };
}

/** State that discovery compares each source with. */
export interface DiscoveryContext extends Pick<KnownWork, 'index' | 'claimed'> {
  claims: Pick<Claims, 'read'>;
  records: Pick<Records, 'read'>;
  idRules: IdRules;
  /** Category that the pipeline assigns to its models. */
  category?: string | null;
  signal?: AbortSignal | undefined;
}

type KeyHistoryContext = Omit<DiscoveryContext, 'idRules' | 'category'> & { grid?: Grid | null };

/** @param sourceOf the listed source with this id */
export function keyHistoryOf(
  { index, claimed, claims, records, grid, signal }: KeyHistoryContext,
  sourceOf: (id: string) => AssetSource,
): KeyHistory {
  const keysOf = (key: string) => grid?.keysOf(key) ?? [key];
  const isClaimed = (key: string) => claimed.has(encodeKey(key));
  const isKnown = (key: string) =>
    keysOf(key).some((cellKey) => index.get(cellKey) !== null || isClaimed(cellKey));
  const recordOf = async (key: string) => {
    const [entry] = keysOf(key).flatMap((cellKey) => index.get(cellKey) ?? []);
    return entry ? records.read(entry.name) : null;
  };
  const claimOf = async (key: string) => {
    const claimedKey = keysOf(key).find(isClaimed);
    return claimedKey === undefined ? null : claims.read(claimedKey);
  };
  const hasVersion = (key: string, { version }: AssetSource) =>
    keysOf(key).some((cellKey) => {
      const entry = index.get(cellKey);
      return entry !== null && isSameVersion(entry, version);
    });
  const isNamesake = async ({ id, shortKey, longKey }: UnkeyedSource) => {
    // Versions of objects depend on their ids, so the name of a record usually shows which object owns a key.
    if (hasVersion(shortKey, sourceOf(id))) return false;
    if (hasVersion(longKey, sourceOf(id))) return true;
    const owner = (await recordOf(shortKey))?.source.id ?? (await claimOf(shortKey))?.sourceId;
    return owner !== undefined && owner !== id;
  };
  return {
    isKnown,
    async idOf(key) {
      const record = await recordOf(key);
      return record ? sourceIdOf(record.source) : null;
    },
    async idsOfNamesakes(items) {
      const isObject = ({ id }: UnkeyedSource) => sourceOf(id).id !== undefined;
      const objects = items.filter((item) => isObject(item) && isKnown(item.shortKey));
      const areNamesakes = await mapBounded(objects, isNamesake, { signal });
      return new Set(objects.flatMap(({ id }, index) => (areNamesakes[index] ? id : [])));
    },
  };
}

/** Encodes a key and, after a line break, the rest of its longer key if that starts with the key. */
export function encodeTakenKey({ key, longKey }: TakenKey): string {
  return longKey.startsWith(key) ? `${key}\n${longKey.slice(key.length)}` : `${key}\n`;
}

/** Keys of the discovery pages so far, each read once. */
class DiscoveredKeys implements TakenKeys {
  readonly #keys = new NameTable((encoded) => foldKey(encoded.slice(0, encoded.indexOf('\n'))));
  #pagesRead = 0;
  #reading: Promise<void> = Promise.resolve();

  find(folded: string): TakenKey | null {
    const encoded = this.#keys.find(folded);
    if (encoded === null) return null;
    const [key = ''] = encoded.split('\n');
    return { key, longKey: encoded.replace('\n', '') };
  }

  /** Reads the keys up to a head. Two attempts for one discovery page may call it at the same time. */
  readUpTo(store: RunStore, head: RunAssetsHead): Promise<void> {
    const read = async () => {
      for (const part of partsOf(head).slice(this.#pagesRead)) {
        for await (const keys of store.runAssets.heads.keysOf(part)) {
          for (const key of keys) this.#keys.add(key);
        }
        this.#pagesRead += 1;
      }
    };
    this.#reading = this.#reading.then(read);
    return this.#reading;
  }
}

interface CachedWork {
  knownWork: Promise<KnownWork>;
  discoveredKeys: DiscoveredKeys;
}

const cache = new RunCache<RunStore, CachedWork>();

export function dropCachedWork(store: RunStore): void {
  cache.drop(store);
}

/** Reads the known work as this worker cached it at a discovery page of the run, with all keys taken up to a head. */
export async function readKnownWorkCached(
  store: RunStore,
  previousHead: RunAssetsHead | null,
  signal?: AbortSignal,
): Promise<KnownWork & { earlier: TakenKeys }> {
  const { knownWork, discoveredKeys } = cache.getOrCreate(store, () => ({
    knownWork: readKnownWork(store, signal),
    discoveredKeys: new DiscoveredKeys(),
  }));
  // The promise is awaited below. Until then, a rejection must not end the process.
  knownWork.catch(() => undefined);
  if (previousHead) await discoveredKeys.readUpTo(store, previousHead);
  return { ...(await knownWork), earlier: discoveredKeys };
}
