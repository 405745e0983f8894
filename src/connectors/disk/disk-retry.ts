import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from '../connector-error.ts';

/** Pauses during which other transfers close their files. If the problem lasts, Temporal retries the whole activity. */
const openFilesPausesMs = [25, 50, 100, 200, 400, 800, 1_600];
/** Pauses after failed reads from network drives and worn disks. */
const readPausesMs = [100, 400, 1_600];

/** Pauses for a file that another program, such as a virus scanner or a preview, has briefly opened. */
const busyPausesMs = [250, 1_000, 4_000];

type PausesByErrno = Readonly<Record<string, readonly number[] | undefined>>;

const openPauses: PausesByErrno = { EMFILE: openFilesPausesMs, ENFILE: openFilesPausesMs };
const busyPauses: PausesByErrno = {
  EBUSY: busyPausesMs,
  ETXTBSY: busyPausesMs,
  EAGAIN: busyPausesMs,
};
const readPauses: PausesByErrno = {
  ...openPauses,
  ...busyPauses,
  EIO: readPausesMs,
  ESTALE: readPausesMs,
};

/** Retries a read a few times after temporary errors. */
export function withRetry<T>(
  read: () => Promise<T>,
  pause?: (ms: number) => Promise<unknown>,
): Promise<T> {
  return retry(read, readPauses, pause);
}

/**
 * Retries opening a file while too many files are open. Later steps of a write are not retried, because a disk that has
 * lost bytes may report success the second time.
 */
export function openWithRetry<T>(open: () => Promise<T>): Promise<T> {
  return retry(open, openPauses);
}

/** Retries a rename while another program has the replaced file open. */
export function replaceWithRetry(replace: () => Promise<void>): Promise<void> {
  return retry(replace, busyPauses);
}

async function retry<T>(
  task: () => Promise<T>,
  pausesOf: PausesByErrno,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await task();
    } catch (error) {
      const pauseMs = pausesOf[errnoOf(error) ?? '']?.[tries];
      if (pauseMs === undefined) throw error;
      await pause(pauseMs);
    }
  }
}
