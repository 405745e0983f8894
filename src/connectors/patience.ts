// Troubles of a disk that pass: no more files may be open just now, or a read fails that works the next time.
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from './connector-error.ts';

/** Other transfers end meanwhile and close theirs; what lasts longer is tried again with the whole activity. */
const openFilesPausesMs = [25, 50, 100, 200, 400, 800, 1_600];
/** Network drives and worn disks. */
const readPausesMs = [100, 400, 1_600];

/** A program that has the file open for a moment: a virus scanner, a preview, a copy. */
const busyPausesMs = [250, 1_000, 4_000];

type Pauses = Readonly<Record<string, readonly number[] | undefined>>;

const ofOpening: Pauses = { EMFILE: openFilesPausesMs, ENFILE: openFilesPausesMs };
const whileBusy: Pauses = { EBUSY: busyPausesMs, ETXTBSY: busyPausesMs, EAGAIN: busyPausesMs };
const ofReading: Pauses = {
  ...ofOpening,
  ...whileBusy,
  EIO: readPausesMs,
  ESTALE: readPausesMs,
};

/** Reads again after a passing trouble, a few times. */
export function patiently<T>(
  read: () => Promise<T>,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<T> {
  return again(read, ofReading, pause);
}

/**
 * Opens again while too many files are open. Writes of bytes have no other patience: a disk that has lost bytes once may well
 * say that it has them when it is asked again.
 */
export function openPatiently<T>(open: () => Promise<T>): Promise<T> {
  return again(open, ofOpening, delay);
}

/** Gives a file its name while another program has the one open that it replaces. */
export function replacePatiently(
  replace: () => Promise<void>,
  pause: (ms: number) => Promise<unknown> = delay,
): Promise<void> {
  return again(replace, whileBusy, pause);
}

async function again<T>(
  work: () => Promise<T>,
  pausesOf: Pauses,
  pause: (ms: number) => Promise<unknown>,
): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      const pauseMs = pausesOf[errnoOf(error) ?? '']?.[tries];
      if (pauseMs === undefined) throw error;
      await pause(pauseMs);
    }
  }
}
