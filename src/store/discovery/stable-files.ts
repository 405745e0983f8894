// Finds the files that have stopped changing. A person who copies a folder and starts a run at once must not receive an
// empty run, so recent files are checked again a moment later.
import { setTimeout as delay } from 'node:timers/promises';
import type { Connector, Entry } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { mapBounded } from '../objects/map-bounded.ts';

/** Maximum wait until a recent file reaches `stableForMs`. Files that need longer are left for the next run. */
const maxWaitMs = 5_000;
/** A file time further in the future means that clocks differ. */
const maxClockSkewMs = 2_000;

/** A truncated file of these types is detected by its declared length. One of any other type may look complete. */
const selfDelimiting = /\.(glb|gltf)$/i;

/** For files of other types: time between two checks, ms, and the age from which one check is enough. */
const withStoreClock = { recheckMs: 5_000, stableAfterMs: 5 * 60_000 };
/** Values without a store clock, because writers set the times, which are coarse and may be in another time zone. */
const withWriterClock = { recheckMs: 10_000, stableAfterMs: 24 * 3_600_000 };

export interface StableFilesOptions<File> {
  connector: Connector;
  stableForMs: number;
  now: () => number;
  /** Returns what the store knows about a file in addition to its size and time. */
  entryFieldsOf: (file: File) => Pick<Entry, 'etag' | 'changedMs'>;
  /** Injected in tests. */
  wait?: ((delayMs: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
  signal?: AbortSignal | undefined;
}

/** Fields that are compared between two checks of a file. */
type FileSnapshot = Pick<Entry, 'path' | 'bytes' | 'mtimeMs'>;

export interface StableFiles<File extends FileSnapshot> {
  stable: File[];
  /** Files that are changing, or changed too recently. */
  later: string[];
}

/** Separates the files that have not changed for `stableForMs` from the others. */
export async function splitStableFiles<File extends FileSnapshot>(
  entries: readonly File[],
  { connector, stableForMs, now, entryFieldsOf, wait = waitFor, signal }: StableFilesOptions<File>,
): Promise<StableFiles<File>> {
  // `now` and this machine's clock may differ, so a file counts as young if it is young by either clock.
  const startedAtMs = Math.min(now(), Date.now());
  const stable: File[] = [];
  const recent: File[] = [];
  const later: string[] = [];
  let waitMs = 0;
  for (const entry of entries) {
    const ageMs = startedAtMs - entry.mtimeMs;
    const restMs = stableForMs - Math.max(ageMs, 0);
    // If the clocks differ, the age is meaningless and could delay a file for hours. Checking twice is as safe.
    const isAhead = ageMs < -maxClockSkewMs;
    const recheckMs =
      stableForMs === 0 ? 0 : recheckDelayMs({ ...entry, ...entryFieldsOf(entry) }, startedAtMs);
    const neededMs = Math.max(Math.min(restMs, maxWaitMs), recheckMs);
    if (!isAhead && restMs > maxWaitMs) later.push(entry.path);
    else if (neededMs <= 0) stable.push(entry);
    else {
      recent.push(entry);
      waitMs = Math.max(waitMs, neededMs);
    }
  }
  if (recent.length === 0) return { stable, later };
  await wait(waitMs, signal);
  const recheck = ({ path }: File) =>
    connector.stat(path).catch((error: unknown) => {
      if (error instanceof ConnectorError && error.isOfOneFile) return 'refused' as const;
      throw error;
    });
  const rechecked = await mapBounded(recent, recheck, { signal });
  recent.forEach((before, index) => {
    const after = rechecked[index];
    // A missing file is skipped, because it was temporary or somebody removed it.
    if (!after) return;
    if (after === 'refused') {
      // The file is taken, so that the run reports why this file alone cannot be read.
      stable.push(before);
      return;
    }
    const isSame = after.bytes === before.bytes && after.mtimeMs === before.mtimeMs;
    // An empty file may have just been created, unless the store writes whole objects or the type declares its length.
    const hasBytes = after.bytes > 0 || isWholeFile(after.path, entryFieldsOf(before).etag);
    if (isSame && hasBytes) stable.push(before);
    else later.push(before.path);
  });
  return { stable, later };
}

/** Returns the time until the second check, or 0 if one check is enough. */
function recheckDelayMs({ path, mtimeMs, etag, changedMs }: Entry, nowMs: number): number {
  if (isWholeFile(path, etag)) return 0;
  const { recheckMs, stableAfterMs } = changedMs === undefined ? withWriterClock : withStoreClock;
  const hasTime = mtimeMs > 0;
  const isOld = hasTime && nowMs - Math.max(mtimeMs, changedMs ?? 0) >= stableAfterMs;
  return isOld ? 0 : recheckMs;
}

/** True if a truncated file would be detected, or cannot exist because an object with an ETag appears whole. */
function isWholeFile(path: string, etag: string | undefined): boolean {
  return etag !== undefined || selfDelimiting.test(path);
}

async function waitFor(delayMs: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(delayMs, undefined, signal ? { signal } : {});
}
