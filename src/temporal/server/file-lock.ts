// A lock file that lets one process at a time work on a shared folder. The lock of a dead holder is taken over.
import { randomUUID } from 'node:crypto';
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { asRecord } from '../../api/unknown-values.ts';
import { createFolder } from '../../disk/create-folder.ts';
import { commandFailures } from '../../failures/commands.ts';

export interface FileLockOptions {
  signal?: AbortSignal | undefined;
  /** Called every `reportMs` (default 10 s) while another process holds the lock. */
  onWait?: (holder: LockHolder, waitMs: number) => void;
  pollMs?: number;
  reportMs?: number;
  waitLimitMs: number;
  /** Clock for the duration of the wait, ms. @default performance.now */
  now?: () => number;
}

export interface LockHolder {
  pid: number;
  host: string;
  token: string;
}

export class LockTimeoutError extends Error {
  override name = 'LockTimeoutError';
  readonly failure = commandFailures.IN_USE;
  /** The holder, for example "process 12 on this-host". */
  readonly holder: string;

  constructor(path: string, holder: string, waitMs: number) {
    const still = waitMs < 1_000 ? '' : `, still after ${Math.round(waitMs / 1_000)} s`;
    super(`${path} is locked by ${holder}${still}; stop that process or delete the file`);
    this.holder = holder;
  }
}

/** Tokens of the locks that this process holds or waits for. */
const ownTokens = new Set<string>();

const refreshIntervalMs = 5_000;
const staleAfterMs = 60_000;
/** A dead holder on another host, such as a replaced container, is detected only by the missing refreshes. */
const remoteStaleAfterMs = 20_000;
/** After two missed refreshes the holder is probably dead. */
const silentAfterMs = 2 * refreshIntervalMs + 1_000;

/**
 * Runs `task` while holding the lock file `path`. A dead holder is replaced: its pid does not exist, or the file was
 * not refreshed for 60 s (20 s if the holder is on another host or in another container). Waits at most `waitLimitMs`.
 * For a holder on another host that has missed its refreshes, waits until the holder can be replaced.
 * @throws LockTimeoutError
 */
export async function withFileLock<T>(
  path: string,
  options: FileLockOptions,
  task: () => Promise<T>,
): Promise<T> {
  const release = await acquireFileLock(path, options);
  try {
    return await task();
  } finally {
    await release();
  }
}

/** Acquires the lock and resolves to a function that releases it. */
export async function acquireFileLock(
  path: string,
  options: FileLockOptions,
): Promise<() => Promise<void>> {
  const ownHolder: LockHolder = { pid: process.pid, host: hostname(), token: randomUUID() };
  ownTokens.add(ownHolder.token);
  await acquire(path, ownHolder, options).catch((error: unknown) => {
    ownTokens.delete(ownHolder.token);
    throw error;
  });
  const refresh = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, refreshIntervalMs);
  refresh.unref();
  return async () => {
    clearInterval(refresh);
    const holder = await readHolder(path);
    if (holder?.token === ownHolder.token) await rm(path, { force: true });
    // The token is removed only now, because waiters of this process take over a lock whose token is unknown.
    ownTokens.delete(ownHolder.token);
  };
}

async function acquire(
  path: string,
  ownHolder: LockHolder,
  options: FileLockOptions,
): Promise<void> {
  const { signal, onWait, pollMs = 250, reportMs = 10_000, waitLimitMs } = options;
  const now = options.now ?? (() => performance.now());
  await createFolder(dirname(path), 0o700);
  const startedAtMs = now();
  let nextReportAtMs = 0;
  while (!(await create(path, ownHolder))) {
    signal?.throwIfAborted();
    if (await removeIfStale(path, ownHolder)) continue;
    const waitMs = now() - startedAtMs;
    const holder = await readHolder(path);
    if (holder && waitMs >= nextReportAtMs) {
      onWait?.(holder, waitMs);
      nextReportAtMs = waitMs + reportMs;
    }
    if (waitMs > waitLimitMs && !(await isHolderSilent(path, holder))) {
      const holderLabel = holder ? `process ${holder.pid} on ${holder.host}` : 'another process';
      throw new LockTimeoutError(path, holderLabel, waitMs);
    }
    await delay(pollMs, undefined, signal ? { signal } : {});
  }
}

async function create(path: string, holder: LockHolder): Promise<boolean> {
  try {
    await writeFile(path, JSON.stringify(holder), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function readHolder(path: string): Promise<LockHolder | undefined> {
  try {
    const { pid, host, token } = asRecord(JSON.parse(await readFile(path, 'utf8')));
    if (typeof pid !== 'number' || typeof host !== 'string' || typeof token !== 'string') {
      return undefined;
    }
    return { pid, host, token };
  } catch {
    return undefined;
  }
}

/** Removes the lock if its holder is gone. One waiter at a time may do so, since the next may hold the lock already. */
async function removeIfStale(path: string, ownHolder: LockHolder): Promise<boolean> {
  if (!(await isLockStale(path))) return false;
  const guard = `${path}.takeover`;
  if (!(await create(guard, ownHolder))) {
    // The waiter that created the guard needs milliseconds, or was killed.
    const isLeft = (await readAgeMs(guard)) > staleAfterMs;
    if (isLeft) await rm(guard, { force: true });
    return false;
  }
  try {
    if (await isLockStale(path)) await rm(path, { force: true });
  } finally {
    await rm(guard, { force: true });
  }
  return true;
}

async function isLockStale(path: string): Promise<boolean> {
  const holder = await readHolder(path);
  const isHere = holder?.host === hostname();
  if (isHere && !isHolderAlive(holder)) return true;
  return (await readAgeMs(path)) > (isHere ? staleAfterMs : remoteStaleAfterMs);
}

/** Reads the time since the file was refreshed. Returns 0 if it does not exist. */
async function readAgeMs(path: string): Promise<number> {
  const info = await stat(path).catch(() => undefined);
  return info ? Date.now() - info.mtimeMs : 0;
}

/** True if the holder is on another host and has stopped refreshing the file, so that the lock becomes free soon. */
async function isHolderSilent(path: string, holder: LockHolder | undefined): Promise<boolean> {
  if (holder === undefined || holder.host === hostname()) return false;
  return (await readAgeMs(path)) > silentAfterMs;
}

function isHolderAlive({ pid, token }: LockHolder): boolean {
  // After a kill, the first process of a container gets the same pid again, so our own pid proves nothing.
  if (pid === process.pid) return ownTokens.has(token);
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM means that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
