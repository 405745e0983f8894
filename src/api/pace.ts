// How far apart requests are sent, so that places come back as fast as they are taken. Pure.

/** Below this, a place that is never used would be a noticeable part of the allotment. */
const smallAllotment = 50;
/** So many returns are looked at; more make no difference that could be felt. */
const returnsLookedAt = 64;

/**
 * Least time between two requests, ms, at the highest constant rate at which places never run out before others come
 * back. Of a large allotment one place is kept, for what cannot wait.
 * @param free places that may be taken now
 * @param inUse places that come back
 * @param returnsInMs when the place with this index does, soonest first
 */
export function paceMs(
  free: number,
  inUse: number,
  returnsInMs: (index: number) => number,
): number {
  const kept = free + inUse >= smallAllotment ? 1 : 0;
  const stride = Math.ceil(inUse / returnsLookedAt);
  let gapMs = 0;
  for (let index = 0; index < inUse; index += stride) {
    // So many may have been sent when this place is back.
    const sendable = Math.max(1, free + index + 1 - kept);
    gapMs = Math.max(gapMs, returnsInMs(index) / sendable);
  }
  return gapMs;
}
