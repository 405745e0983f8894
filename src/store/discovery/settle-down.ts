// Finds the files that have stopped changing. A person who copies a folder and runs at once must not get an empty
// run, so files that are young are looked at again a moment later.
import { setTimeout as delay } from 'node:timers/promises';
import type { Connector, Entry } from '../../connectors/connector.ts';
import { mapBounded } from '../objects/bounded.ts';

/** Longest wait for young files; what needs longer is left for the next run. */
const longestWaitMs = 5_000;
/** Times further in the future than this say that clocks differ. */
const clockSkewMs = 2_000;

export interface SettleDownOptions {
  connector: Connector;
  stableForMs: number;
  now: () => number;
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
  { connector, stableForMs, now, wait = waitFor, signal }: SettleDownOptions,
): Promise<SettledDown<File>> {
  const startMs = now();
  const ageMs = ({ mtimeMs }: File) => startMs - mtimeMs;
  const stable: File[] = [];
  const young: File[] = [];
  const later: string[] = [];
  for (const entry of entries) {
    if (ageMs(entry) >= stableForMs) stable.push(entry);
    // Where clocks differ, the time would keep a file waiting for hours; looking twice tells as much.
    else if (ageMs(entry) < -clockSkewMs) young.push(entry);
    else if (stableForMs - ageMs(entry) <= longestWaitMs) young.push(entry);
    else later.push(entry.path);
  }
  if (young.length === 0) return { stable, later };
  const neededMs = young.map((entry) => stableForMs - Math.max(ageMs(entry), 0));
  await wait(Math.min(Math.max(...neededMs), longestWaitMs), signal);
  const again = await mapBounded(young, (entry) => connector.stat(entry.path), { signal });
  young.forEach((before, index) => {
    const after = again[index];
    // A file that is gone was a temporary one, or somebody took it back.
    if (!after) return;
    if (after.bytes === before.bytes && after.mtimeMs === before.mtimeMs) stable.push(before);
    else later.push(before.path);
  });
  return { stable, later };
}

async function waitFor(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(delayMs, undefined, signal ? { signal } : {});
}
