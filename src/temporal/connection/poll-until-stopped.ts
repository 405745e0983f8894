// Polls Temporal at intervals until stopped.

interface PollOptions {
  /** Ms between two polls, unless a poll resolves to another number of ms. */
  intervalMs: number;
  /** Ms until the first poll. @default 0 */
  firstMs?: number;
}

/**
 * Calls `poll` at intervals and ignores its errors. The timers do not keep the process alive.
 * @returns a function that stops the polling; a running poll can check its argument `isStopped`
 */
export function pollUntilStopped(
  { intervalMs, firstMs = 0 }: PollOptions,
  poll: (isStopped: () => boolean) => Promise<number | undefined>,
): () => void {
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  const schedulePoll = (waitMs = intervalMs) => {
    if (isStopped) return;
    timer = setTimeout(() => {
      void poll(() => isStopped)
        .catch(() => undefined)
        .then(schedulePoll);
    }, waitMs);
    timer.unref();
  };
  schedulePoll(firstMs);
  return () => {
    isStopped = true;
    clearTimeout(timer);
  };
}
