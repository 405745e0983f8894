import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoOf } from '../connector-error.ts';

const pattern = /^\.rl-([0-9a-f]{8})-(\d+)-([0-9a-f]{8})[0-9a-f]{8}\.tmp$/;
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** Distinguishes this process from an earlier one with the same process id. */
const mark = randomBytes(4).toString('hex');
const inUse = new Set<string>();
/** Age at which a temporary file from another machine counts as a leftover. No transfer takes this long. */
const abandonedAfterMs = 24 * 60 * 60_000;

/**
 * Creates a name. Its leading dot hides the file from listings. Callers must call `releaseTempName`, even after an
 * error.
 */
export function reserveTempName(): string {
  const name = `.rl-${host}-${process.pid}-${mark}${randomUUID().slice(0, 8)}.tmp`;
  inUse.add(name);
  return name;
}

/** Marks a name as unused, so that a file that still has the name counts as a leftover. */
export function releaseTempName(name: string): void {
  inUse.delete(name);
}

export function isTempName(name: string): boolean {
  return pattern.test(name);
}

/** Returns a function that is true at most once per interval and folder: when to search it for leftovers again. */
export function createLeftoverSchedule(everyMs: number) {
  const checkedAtMs = new Map<string, number>();
  return (folder: string, nowMs = performance.now()): boolean => {
    if (nowMs - (checkedAtMs.get(folder) ?? Number.NEGATIVE_INFINITY) < everyMs) return false;
    if (checkedAtMs.size >= 4_096) checkedAtMs.clear();
    checkedAtMs.set(folder, nowMs);
    return true;
  };
}

/** Deletes leftovers: those of ended processes on this machine at once, others after a day by the disk's clock. */
export async function removeLeftovers(folder: string): Promise<void> {
  const nowMs = diskNowMs((await stat(folder).catch(() => null))?.mtimeMs ?? 0);
  // Errors are ignored, because a leftover that cannot be deleted does not block new files.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!isTempName(name)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(() => null);
    if (!info || !isLeftoverFile(name, info.mtimeMs, nowMs)) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Returns a disk's time by its latest change. If this machine's clock is ahead, files in use would seem abandoned. */
export function diskNowMs(latestAtMs: number): number {
  return Math.min(Date.now(), latestAtMs);
}

/** True for a temporary file whose writer has ended, or that is a day old and not used by this process. */
export function isLeftoverFile(name: string, mtimeMs: number, nowMs: number): boolean {
  const [, itsHost, pid, itsMark] = pattern.exec(name) ?? [];
  if (pid === undefined) return false;
  if (nowMs - mtimeMs >= abandonedAfterMs) return !inUse.has(name);
  if (itsHost !== host) return false;
  if (Number(pid) === process.pid && itsMark === mark) return !inUse.has(name);
  return !isProcessAlive(Number(pid));
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists under another user.
    return errnoOf(error) === 'EPERM';
  }
}
