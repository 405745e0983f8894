// Detects stalled connections. Some vendors' clients limit only the whole transfer, to an hour for a large file.
import type { Readable } from 'node:stream';
import { requestTimes } from './request-times.ts';

/** Error for a transfer in which no bytes have moved for too long. It is temporary. */
export class StalledError extends Error {
  override name = 'StalledError';
}

/** Calls `onStall` if nothing was transferred for `requestTimes.idleMs`. `touch` restarts the time limit. */
export function watchStall(onStall: (error: StalledError) => void) {
  const { idleMs } = requestTimes;
  const end = () => onStall(new StalledError(`no data was transferred for ${idleMs} ms`));
  const timer = setTimeout(end, idleMs);
  return { touch: () => timer.refresh(), stop: () => clearTimeout(timer) };
}

/** Yields the chunks of a body, and destroys the body if a chunk is late. Time spent by the reader does not count. */
export async function* readPieces(body: Readable): AsyncGenerator<Uint8Array> {
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
