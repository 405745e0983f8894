// How long requests to object stores may take.

/** Times of one request; what takes longer is tried again, and then reported. */
export const requestTimes = {
  connectMs: 10_000,
  /** Silence on the wire. */
  idleMs: 60_000,
  attempts: 4,
} as const;

/** How long an object of this size may take on its way: a minute, and a second more for every 256 KiB. */
export function transferMs(bytes: number): number {
  return 60_000 + Math.ceil(bytes / 262.144);
}

/** For requests that carry no more than what is read at once. */
export const smallRequestMs = transferMs(16 * 1024 * 1024);

/** Aborts when the time is up or the caller gives up. */
export function within(ms: number, signal?: AbortSignal): AbortSignal {
  const late = AbortSignal.timeout(ms);
  return signal ? AbortSignal.any([late, signal]) : late;
}
