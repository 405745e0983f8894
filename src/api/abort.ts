// Listening to a caller's abort signal that many requests share.
import { setMaxListeners } from 'node:events';

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
