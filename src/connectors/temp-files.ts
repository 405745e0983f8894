// Temporary files beside their targets: how they are named, and which leftovers may go.
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { errnoOf } from './connector-error.ts';

const pattern = /^\.rl-([0-9a-f]{8})-(\d+)-[0-9a-f]{16}\.tmp$/;
const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
/** Nothing takes this long to fill; a machine that is gone cannot be asked. */
const abandonedAfterMs = 24 * 60 * 60_000;

/** The leading dot keeps it out of every listing. */
export function tempName(): string {
  return `.rl-${host}-${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
}

/** Removes what crashed processes left in a folder: of this machine at once, of others after a day. */
export async function removeLeftovers(folder: string, nowMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(folder)) {
    if (!pattern.test(name)) continue;
    const path = join(folder, name);
    const info = await stat(path).catch(() => null);
    if (!info || !isLeftover(name, info.mtimeMs, nowMs)) continue;
    await rm(path, { force: true });
    removed += 1;
  }
  return removed;
}

/** Whether nobody fills this temporary file any more; false for files of any other name. */
export function isLeftover(name: string, mtimeMs: number, nowMs: number): boolean {
  const match = pattern.exec(name);
  if (!match) return false;
  const dead = match[1] === host && !isAlive(Number(match[2]));
  return dead || nowMs - mtimeMs >= abandonedAfterMs;
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
