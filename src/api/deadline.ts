// A total deadline for one request, in addition to the caller's own signal.
import { callOnAbort } from './abort.ts';

export interface Deadline {
  readonly signal: AbortSignal;
  /** True if the time ran out. False if the caller aborted. */
  hasExpired(): boolean;
  clear(): void;
}

/** Aborts after `totalMs` or with `outer`, even while bytes are arriving. Call `clear` when the request has ended. */
export function startDeadline(totalMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    controller.abort(new Error(`no response within ${totalMs} ms`));
  }, totalMs);
  const stopFollowing = callOnAbort(outer, () => controller.abort(outer?.reason));
  return {
    signal: controller.signal,
    hasExpired: () => late,
    clear: () => {
      clearTimeout(timer);
      stopFollowing();
    },
  };
}
