// Polls Temporal at intervals until stopped.

interface PollOptions {
  /** Time between two polls, ms, unless a poll resolves to a different time. */
  intervalMs: number;
  /** Time until the first poll, ms. @default 0 */
  firstMs?: number;
}

/**
 * Calls `poll` at intervals and ignores its errors. The timers do not keep the process alive.
 * @returns a function that stops polling. A running poll can check its argument `isStopped`
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
