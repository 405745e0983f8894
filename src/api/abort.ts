// Helpers for an abort signal that many requests share.
import { setMaxListeners } from 'node:events';

/** Settles as `task` does, or rejects with the abort reason if `signal` aborts first. `task` then continues. */
export function rejectOnAbort<T>(signal: AbortSignal | undefined, task: Promise<T>): Promise<T> {
  if (!signal) return task;
  return new Promise((resolve, reject) => {
    const ignore = callOnAbort(signal, () => reject(signal.reason));
    task.then(resolve, reject).finally(ignore);
  });
}

/** Calls back once when `signal` aborts, immediately if it already has. Returns a function that stops listening. */
export function callOnAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
  if (signal.aborted) {
    callback();
    return () => {};
  }
  // One activity sends many requests with one signal. Node would report more than ten listeners as a leak.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', callback, { once: true });
  return () => signal.removeEventListener('abort', callback);
}

/** Creates a signal that aborts after `ms` or with `signal`. */
export function createTimeoutSignal(ms: number, signal?: AbortSignal): AbortSignal {
  const timeout = AbortSignal.timeout(ms);
  if (!signal) return timeout;
  // Without a listener, Node 20 collects the timeout as garbage, so that it never ends.
  timeout.addEventListener('abort', () => undefined);
  return AbortSignal.any([timeout, signal]);
}

export function waitForAbort(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => callOnAbort(signal, resolve));
}
