// Troubles of a disk that pass: no more files may be open just now, or a read fails that works the next time.
import { setTimeout as delay } from 'node:timers/promises';
import { errnoOf } from './connector-error.ts';

/** Other transfers end meanwhile and close theirs; what lasts longer is tried again with the whole activity. */
const openFilesPausesMs = [25, 50, 100, 200, 400, 800, 1_600];
/** Network drives and worn disks. */
const readPausesMs = [100, 400, 1_600];

const pausesOf: Readonly<Record<string, readonly number[] | undefined>> = {
  EMFILE: openFilesPausesMs,
  ENFILE: openFilesPausesMs,
  EIO: readPausesMs,
  ESTALE: readPausesMs,
};

/** Does the work again after a passing trouble, a few times. Nothing of it may be done twice by that. */
export async function patiently<T>(
  work: () => Promise<T>,
  pause: (ms: number) => Promise<unknown> = delay,
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
