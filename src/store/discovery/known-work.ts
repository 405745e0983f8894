// What discovery compares a listing with: records and claims of earlier runs, and the keys that the run has assigned so
// far. Listing a million records takes minutes, so a run that discovers in pages does so once on each worker.
import type { ClaimedKeys } from '../claims/claims.ts';
import { type OpenMove, openMoves } from '../claims/moves.ts';
import { NameTable } from '../objects/name-table.ts';
import type { RecordIndex } from '../records/records.ts';
import { type ManifestHead, partsOf } from '../runs/manifest-heads.ts';
import type { RunStore } from '../runs/run-store.ts';
import { fold, type TakenKey, type TakenKeys } from './asset-keys.ts';

/** Runs that can be discovered at once on one worker without listing records again. */
const runsKept = 2;
/** Memory is freed after this time, since other workers may discover the other pages of the run. */
const idleMs = 10 * 60_000;

export interface KnownWork {
  index: RecordIndex;
  claimed: ClaimedKeys;
  /** Moves of records that a run has written but not finished. */
  moves: OpenMove[];
}

export async function knownWork(
  { records, claims }: Pick<RunStore, 'records' | 'claims'>,
  signal?: AbortSignal,
): Promise<KnownWork> {
  const names: string[] = [];
  const [index, claimed] = await Promise.all([records.index(signal), claims.names(signal, names)]);
  return { index, claimed, moves: await openMoves({ records, claims }, names) };
}

/** Encodes a key and the rest of its longer key in one line; keys contain no line breaks. */
export function writtenKey({ key, long }: TakenKey): string {
  return long.startsWith(key) ? `${key}\n${long.slice(key.length)}` : `${key}\n`;
}

/** Keys of the discovery pages so far, each read once. */
class KeyBook implements TakenKeys {
  readonly #keys = new NameTable((written) => fold(written.slice(0, written.indexOf('\n'))));
  #stretches = 0;
  #reading: Promise<void> = Promise.resolve();

  find(folded: string): TakenKey | null {
    const written = this.#keys.find(folded);
    if (written === null) return null;
    const [key = ''] = written.split('\n');
    return { key, long: written.replace('\n', '') };
  }

  /** Reads the keys up to a head; two attempts for one page may call at once. */
  upTo(store: RunStore, head: ManifestHead): Promise<void> {
    const read = async () => {
      for (const part of partsOf(head).slice(this.#stretches)) {
        for await (const keys of store.manifest.heads.keysOf(part)) {
          for (const key of keys) this.#keys.add(key);
        }
        this.#stretches += 1;
      }
    };
    this.#reading = this.#reading.then(read);
    return this.#reading;
  }
}

interface Kept {
  known: Promise<KnownWork>;
  book: KeyBook;
  idle: NodeJS.Timeout | undefined;
}

const kept = new Map<RunStore, Kept>();

/** Drops the cache of a run, because its listing is complete or the cache may be outdated. */
export function forgetWork(store: RunStore): void {
  clearTimeout(kept.get(store)?.idle);
  kept.delete(store);
}

/** What was known at the first page that this worker discovers, with all keys up to a head. */
export async function keptWork(
  store: RunStore,
  before: ManifestHead | null,
  signal?: AbortSignal,
): Promise<KnownWork & { earlier: TakenKeys }> {
  const { known, book } = kept.get(store) ?? {
    known: knownWork(store, signal),
    book: new KeyBook(),
  };
  // Awaited below; until then a rejection must not end the process.
  known.catch(() => undefined);
  forgetWork(store);
  for (const other of [...kept.keys()].slice(0, -(runsKept - 1))) forgetWork(other);
  const idle = setTimeout(() => forgetWork(store), idleMs).unref();
  kept.set(store, { known, book, idle });
  if (before) await book.upTo(store, before);
  return { ...(await known), earlier: book };
}
