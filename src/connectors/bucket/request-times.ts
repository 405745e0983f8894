/** Timeouts of one request, and the number of attempts. */
export const requestTimes = {
  connectMs: 10_000,
  /** Maximum silence on the connection. */
  idleMs: 60_000,
  attempts: 4,
} as const;

/** Returns the maximum time for an object of this size, in ms: one minute plus one second per 256 KiB. */
export function transferMs(bytes: number): number {
  return 60_000 + Math.ceil(bytes / 262.144);
}

/** Timeout of requests that transfer at most a small file. */
export const smallRequestMs = transferMs(16 * 1024 * 1024);
