// What discovery compares a listing with: records and claims of earlier runs, and the keys that the run has assigned so
// far. Listing a million records takes minutes, so a run that discovers in pages does so once on each worker.
import type { ClaimedKeys } from '../claims/claims.ts';
import { type OpenMove, openMoves } from '../claims/moves.ts';
import { NameTable } from '../objects/name-table.ts';
import type { RecordIndex } from '../records/records.ts';
import { type ManifestHead, partsOf } from '../runs/manifest-heads.ts';
import type { RunStore } from '../runs/run-store.ts';
import { foldKey, type TakenKey, type TakenKeys } from './asset-keys.ts';

/** Runs that can be discovered at once on one worker without listing records again. */
const maxCachedRuns = 2;
/** Memory is freed after this time, since other workers may discover the other pages of the run. */
const idleMs = 10 * 60_000;

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

/** Encodes a key and the rest of its longer key in one line; keys contain no line breaks. */
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

  /** Reads the keys up to a head; two attempts for one page may call at once. */
  readUpTo(store: RunStore, head: ManifestHead): Promise<void> {
    const read = async () => {
      for (const part of partsOf(head).slice(this.#pagesRead)) {
        for await (const keys of store.manifest.heads.keysOf(part)) {
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
  known: Promise<KnownWork>;
  discoveredKeys: DiscoveredKeys;
  idle: NodeJS.Timeout | undefined;
}

const cache = new Map<RunStore, CachedWork>();

/** Drops the cache of a run, because its listing is complete or the cache may be outdated. */
export function dropCachedWork(store: RunStore): void {
  clearTimeout(cache.get(store)?.idle);
  cache.delete(store);
}

/** What was known at the first page that this worker discovers, with all keys up to a head. */
export async function cachedKnownWork(
  store: RunStore,
  before: ManifestHead | null,
  signal?: AbortSignal,
): Promise<KnownWork & { earlier: TakenKeys }> {
  const { known, discoveredKeys } = cache.get(store) ?? {
    known: readKnownWork(store, signal),
    discoveredKeys: new DiscoveredKeys(),
  };
  // Awaited below; until then a rejection must not end the process.
  known.catch(() => undefined);
  dropCachedWork(store);
  for (const other of [...cache.keys()].slice(0, -(maxCachedRuns - 1))) dropCachedWork(other);
  const idle = setTimeout(() => dropCachedWork(store), idleMs).unref();
  cache.set(store, { known, discoveredKeys, idle });
  if (before) await discoveredKeys.readUpTo(store, before);
  return { ...(await known), earlier: discoveredKeys };
}
