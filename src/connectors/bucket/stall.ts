// Connections on which nothing moves any more. Not every vendor's client notices: some only bound the whole transfer, which
// for a large file is an hour.
import type { Readable } from 'node:stream';
import { requestTimes } from './request-times.ts';

/** Nothing has moved for too long; weather of the store. */
export class StalledError extends Error {
  override name = 'StalledError';
}

interface StallWatch {
  /** Something has moved. */
  touch(): void;
  stop(): void;
}

/** Tells when nothing has moved for `requestTimes.idleMs`. */
export function watchStall(onStall: (error: StalledError) => void): StallWatch {
  const { idleMs } = requestTimes;
  const timer = setTimeout(
    () => onStall(new StalledError(`nothing moved for ${idleMs} ms`)),
    idleMs,
  );
  return { touch: () => timer.refresh(), stop: () => clearTimeout(timer) };
}

/** A body piece by piece; destroyed where one does not come in time. The time of who takes them does not count. */
export async function* piecesOf(body: Readable): AsyncGenerator<Uint8Array> {
  const pieces: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]();
  try {
    for (;;) {
      const watch = watchStall((error) => body.destroy(error));
      const next = await pieces.next().finally(() => watch.stop());
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    body.destroy();
  }
}
