// Finds the files that have stopped changing. A person who copies a folder and runs at once must not get an empty
// run, so files that are young are read again a moment later.
import { setTimeout as delay } from 'node:timers/promises';
import type { Connector, Entry } from '../../connectors/connector.ts';
import { mapBounded } from '../objects/bounded.ts';

/** Longest wait for young files; what needs longer is left for the next run. */
const longestWaitMs = 5_000;
/** Times further in the future than this say that clocks differ. */
const clockSkewMs = 2_000;

/** Half of these is found out by their own length, or by reading them to their end. Half of any other may pass for a whole one. */
const tellsItsEnd = /\.(glb|gltf)$/i;

/** How two reads of a file that does not tell its end lie apart, ms, and the age from which one read is enough. */
const byOwnClock = { apartMs: 5_000, oldMs: 5 * 60_000 };
/** Without a clock that writers cannot set: times are coarse, and may be those of another zone. */
const byWritersClock = { apartMs: 10_000, oldMs: 24 * 3_600_000 };

export interface SettleDownOptions<File> {
  connector: Connector;
  stableForMs: number;
  now: () => number;
  /** What the store says of a file beside size and time. */
  marksOf: (file: File) => Pick<Entry, 'etag' | 'changedMs'>;
  /** Injected in tests. */
  wait?: ((delayMs: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

/** A look at a file, to be compared with the next one. */
type Look = Pick<Entry, 'path' | 'bytes' | 'mtimeMs'>;

export interface SettledDown<File extends Look> {
  stable: File[];
  /** Paths that still change, or changed too short a time ago. */
  later: string[];
}

/** Parts files into those that have been the same for `stableForMs`, and the others. */
export async function settleDown<File extends Look>(
  entries: readonly File[],
  { connector, stableForMs, now, marksOf, wait = waitFor, signal }: SettleDownOptions<File>,
): Promise<SettledDown<File>> {
  // The place has a clock of its own, which is perhaps this machine's: a file is as young as any clock takes it to be.
  const startMs = Math.min(now(), Date.now());
  const stable: File[] = [];
  const young: File[] = [];
  const later: string[] = [];
  let waitMs = 0;
  for (const entry of entries) {
    const ageMs = startMs - entry.mtimeMs;
    const restMs = stableForMs - Math.max(ageMs, 0);
    // Where clocks differ, the time would keep a file waiting for hours; reading twice tells as much.
    const isAhead = ageMs < -clockSkewMs;
    const apartMs = stableForMs === 0 ? 0 : apartOf({ ...entry, ...marksOf(entry) }, startMs);
    const neededMs = Math.max(Math.min(restMs, longestWaitMs), apartMs);
    if (!isAhead && restMs > longestWaitMs) later.push(entry.path);
    else if (neededMs <= 0) stable.push(entry);
    else {
      young.push(entry);
      waitMs = Math.max(waitMs, neededMs);
    }
  }
  if (young.length === 0) return { stable, later };
  await wait(waitMs, signal);
  const again = await mapBounded(young, (entry) => connector.stat(entry.path), { signal });
  young.forEach((before, index) => {
    const after = again[index];
    // A file that is gone was a temporary one, or somebody took it back.
    if (!after) return;
    const isSame = after.bytes === before.bytes && after.mtimeMs === before.mtimeMs;
    // A writer may just have made the file; a store that writes whole objects, or a known end, leaves no doubt.
    const hasBytes = after.bytes > 0 || isWhole(after.path, marksOf(before).etag);
    if (isSame && hasBytes) stable.push(before);
    else later.push(before.path);
  });
  return { stable, later };
}

/** How long after this read another one must come; 0 where one is enough. */
function apartOf({ path, mtimeMs, etag, changedMs }: Entry, nowMs: number): number {
  if (isWhole(path, etag)) return 0;
  const { apartMs, oldMs } = changedMs === undefined ? byWritersClock : byOwnClock;
  const hasTime = mtimeMs > 0;
  const isOld = hasTime && nowMs - Math.max(mtimeMs, changedMs ?? 0) >= oldMs;
  return isOld ? 0 : apartMs;
}

/** An object with an ETag appears whole. */
function isWhole(path: string, etag: string | undefined): boolean {
  return etag !== undefined || tellsItsEnd.test(path);
}

async function waitFor(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(delayMs, undefined, signal ? { signal } : {});
}
