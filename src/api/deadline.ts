// A total deadline for one request beside the caller's own signal.
import { whenAborted } from './abort.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** True when the time ran out, as opposed to the caller giving up. */
  expired(): boolean;
  clear(): void;
}

/**
 * Aborts after `totalMs` or with `outer`, whichever is first. Idle timeouts do not stop a body that
 * trickles; this does. Call `clear` when the request has ended.
 */
export function startDeadline(totalMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort(new Error(`no answer within ${totalMs} ms`));
  }, totalMs);
  const stopFollowing = whenAborted(outer, () => controller.abort(outer?.reason));
  return {
    signal: controller.signal,
    expired: () => late,
    clear: () => {
      clearTimeout(timer);
      stopFollowing();
    },
  };
}
