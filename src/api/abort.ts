// Listening to a caller's abort signal that many requests share.
import { setMaxListeners } from 'node:events';

/** The work's result, or the reason of the abort; the work itself goes on, for others. */
export function unlessAborted<T>(signal: AbortSignal | undefined, work: Promise<T>): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const ignore = whenAborted(signal, () => reject(signal.reason));
    work.then(resolve, reject).finally(ignore);
  });
}

/** Calls back once when `signal` aborts, at once if it has; the result stops listening. */
export function whenAborted(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  // One activity sends many requests under one signal; that is no leak, and Node would warn at eleven.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}
