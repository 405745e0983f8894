// Spacing of requests, so that places in the rate window become free as fast as they are used. Pure.

/** In a smaller allotment, reserving one place would cost too much. */
const smallAllotment = 50;
/** Number of returning places that are considered; more make no noticeable difference. */
const returnsConsidered = 64;

/**
 * Minimum time between two requests, ms: the highest constant rate at which free places never run out before others become
 * free. In a large allotment one place is reserved for urgent requests.
 * @param free number of free places
 * @param inUse number of places in use
 * @param returnsInMs time until the place in use with this index becomes free, soonest first
 */
export function requestSpacingMs(
  free: number,
  inUse: number,
  returnsInMs: (index: number) => number,
): number {
  const kept = free + inUse >= smallAllotment ? 1 : 0;
  const stride = Math.ceil(inUse / returnsConsidered);
  let gapMs = 0;
  for (let index = 0; index < inUse; index += stride) {
    // Number of requests that may have been sent before this place is free again.
    const sendable = Math.max(1, free + index + 1 - kept);
    gapMs = Math.max(gapMs, returnsInMs(index) / sendable);
  }
  return gapMs;
}
