// One process at a time for work on a shared folder; a lock whose holder is gone frees itself.
import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { looseFields } from '../api/loose-fields.ts';
import { commandFailures } from '../failures/commands.ts';

export interface FileLockOptions {
  signal?: AbortSignal | undefined;
  /** Called about every 10 s while another process holds the lock. */
  onWait?: (holder: LockHolder, waitedMs: number) => void;
  pollMs?: number;
  reportMs?: number;
  waitLimitMs: number;
}

export interface LockHolder {
  pid: number;
  host: string;
  token: string;
}

export class LockTimeoutError extends Error {
  override name = 'LockTimeoutError';
  readonly failure = commandFailures.IN_USE;
  /** In words: "process 12 on this-host". */
  readonly holder: string;

  constructor(path: string, holder: string, waitedMs: number) {
    const waited = `${Math.round(waitedMs / 1_000)} s`;
    super(`waited ${waited} for ${holder}, which holds ${path}; end it or remove that file`);
    this.holder = holder;
  }
}

/** Tokens of the locks that this process holds. */
const heldHere = new Set<string>();

const REFRESH_MS = 5_000;
const STALE_AFTER_MS = 60_000;
/** A holder elsewhere, as a container that was replaced by another, shows by its silence alone that it is gone. */
const AWAY_STALE_AFTER_MS = 20_000;
/** Two refreshes have not come: it is dead or about to be. */
const SILENT_AFTER_MS = 2 * REFRESH_MS + 1_000;

/**
 * Runs `work` while holding the lock file `path`. A holder that died is replaced: its pid is gone, or nobody has
 * refreshed the file for a minute, 20 s where the holder is of another host or container. Waits `waitLimitMs` at
 * most, and for one that has gone silent until it may be replaced.
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const release = await holdFileLock(path, options);
  try {
    return await work();
  } finally {
    await release();
  }
}

/** The same for work without an end of its own: resolves, once the lock is held, to its release. */
export async function holdFileLock(
  path: string,
  options: FileLockOptions,
): Promise<() => Promise<void>> {
  const own: LockHolder = { pid: process.pid, host: hostname(), token: randomUUID() };
  heldHere.add(own.token);
  await acquire(path, own, options).catch((error: unknown) => {
    heldHere.delete(own.token);
    throw error;
  });
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, REFRESH_MS);
  refresh.unref();
  return async () => {
    clearInterval(refresh);
    heldHere.delete(own.token);
    const holder = await readHolder(path);
    if (holder?.token === own.token) await rm(path, { force: true });
  };
}

async function acquire(path: string, own: LockHolder, options: FileLockOptions): Promise<void> {
  const { signal, onWait, pollMs = 250, reportMs = 10_000, waitLimitMs } = options;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const startedAt = performance.now();
  let nextReportMs = 0;
  while (!(await create(path, own))) {
    signal?.throwIfAborted();
    if (await removeIfStale(path, own.token)) continue;
    const waitedMs = performance.now() - startedAt;
    const holder = await readHolder(path);
    if (holder && waitedMs >= nextReportMs) {
      onWait?.(holder, waitedMs);
      nextReportMs = waitedMs + reportMs;
    }
    if (waitedMs > waitLimitMs && !(await isFadingAway(path, holder))) {
      const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
      throw new LockTimeoutError(path, who, waitedMs);
    }
    await delay(pollMs, undefined, signal ? { signal } : {});
  }
}

async function create(path: string, own: LockHolder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(own), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    const { pid, host, token } = looseFields(JSON.parse(await readFile(path, 'utf8')));
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof token !== 'string') {
      return undefined;
    }
    return { pid, host, token };
  } catch {
    return undefined;
  }
}

async function removeIfStale(path: string, ownToken: string): Promise<boolean> {
  const info = await stat(path).catch(() => undefined);
  if (!info) return true;
  const holder = await readHolder(path);
  const isHere = holder?.host === hostname();
  const old = Date.now() - info.mtimeMs > (isHere ? STALE_AFTER_MS : AWAY_STALE_AFTER_MS);
  const dead = isHere && !isAlive(holder);
  if (!old && !dead) return false;
  // Renamed, not removed: of several waiters only one succeeds in taking this very file away. In the
  // worst race two holders work at once, which the callers' atomic renames make harmless.
  const aside = `${path}.${ownToken}`;
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
  return true;
}

/** Whether the holder is of another host and does not refresh the file any more, so that waiting has an end. */
async function isFadingAway(path: string, holder: LockHolder | undefined): Promise<boolean> {
  if (holder === undefined || holder.host === hostname()) return false;
  const info = await stat(path).catch(() => undefined);
  return info !== undefined && Date.now() - info.mtimeMs > SILENT_AFTER_MS;
}

function isAlive({ pid, token }: LockHolder): boolean {
  // A container gives its first process the same pid again after a kill.
  if (pid === process.pid) return heldHere.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it lives, under another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
