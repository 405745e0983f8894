// Temporary files beside their targets: how they are named, and which leftovers may go.
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoOf } from './connector-error.ts';

const pattern = /^\.rl-([0-9a-f]{8})-(\d+)-([0-9a-f]{8})[0-9a-f]{8}\.tmp$/;
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** Tells what this process made from what another one of its number did. */
const mark = randomBytes(4).toString('hex');
const inUse = new Set<string>();
/** Nothing takes this long to fill; a machine that is gone cannot be asked. */
const abandonedAfterMs = 24 * 60 * 60_000;

/** The leading dot keeps it out of every listing. `endTemp` follows, whatever becomes of the file. */
export function tempName(): string {
  const name = `.rl-${host}-${process.pid}-${mark}${randomUUID().slice(0, 8)}.tmp`;
  inUse.add(name);
  return name;
}

/** A file that is still there under this name is a leftover that could not be removed. */
export function endTemp(name: string): void {
  inUse.delete(name);
}

export function isTemp(name: string): boolean {
  return pattern.test(name);
}

/** When folders were looked through for leftovers; each is only now and then. */
export class LeftoverLooks {
  readonly #everyMs: number;
  readonly #lookedAtMs = new Map<string, number>();

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Says so once in this time. */
  isDue(folder: string, nowMs = performance.now()): boolean {
    const lookedAtMs = this.#lookedAtMs.get(folder) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - lookedAtMs < this.#everyMs) return false;
    if (this.#lookedAtMs.size >= 4_096) this.#lookedAtMs.clear();
    this.#lookedAtMs.set(folder, nowMs);
    return true;
  }
}

/** Removes what nobody fills any more: of this machine at once, of others after a day, by the clock of the folder's disk. */
export async function removeLeftovers(folder: string): Promise<void> {
  const nowMs = diskNow((await stat(folder).catch(() => null))?.mtimeMs ?? 0);
  // A leftover that cannot be removed does not stand in the way of a new file.
  for (const name of await readdir(folder).catch(() => [])) {
    if (!isTemp(name)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(() => null);
    if (!info || !isLeftover(name, info.mtimeMs, nowMs)) continue;
    await rm(path, { force: true }).catch(() => undefined);
  }
}

/**
 * A time of a disk's own clock: not before the latest change that it tells of. This machine's clock may be ahead, and then all
 * that others are filling would be old.
 */
export function diskNow(latestMs: number): number {
  return Math.min(Date.now(), latestMs);
}

/** True for a temporary file whose writer is gone; false for files of any other name. */
export function isLeftover(name: string, mtimeMs: number, nowMs: number): boolean {
  const [, itsHost, pid, itsMark] = pattern.exec(name) ?? [];
  if (pid === undefined) return false;
  if (nowMs - mtimeMs >= abandonedAfterMs) return !inUse.has(name);
  if (itsHost !== host) return false;
  if (Number(pid) === process.pid && itsMark === mark) return !inUse.has(name);
  return !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return errnoOf(error) === 'EPERM';
  }
}
