// Estimates how much of a key's rate limit other clients use, from refusals of our requests. Pure.
import { type OtherClientsState, windowMs } from './allowance-contract.ts';

export const noOtherClients: OtherClientsState = {
  permits: 0,
  sinceMs: 0,
  backoffWindows: 0,
  refusedAtMs: null,
};

/** Share of the limit that is reclaimed in each window after the backoff. */
const reclaimShare = 0.1;
/** Our workers always keep at least this share of the limit. */
const minOwnShare = 0.1;
/** Number of windows without a refusal before permits are reclaimed. It doubles after each failed attempt. */
const backoffWindows = { first: 2, max: 8 };
/** Refusals within this number of windows are related. A single refusal may be caused by an earlier process of ours. */
const relatedWindows = 3;

/** Returns the estimated number of permits that other clients currently use. */
export function permitsOfOthers(state: OtherClientsState, limit: number, nowMs: number): number {
  const quietWindows = Math.floor((nowMs - state.sinceMs) / windowMs) - state.backoffWindows;
  const reclaimed = Math.max(0, quietWindows) * Math.max(1, Math.ceil(limit * reclaimShare));
  const maxPermits = limit - Math.max(1, Math.floor(limit * minOwnShare));
  return Math.max(0, Math.min(maxPermits, state.permits - reclaimed));
}

export interface Shortfall {
  limit: number;
  /** Number of our requests since the platform's window began. */
  ownRequests: number;
  elapsedMs: number;
}

/** Updates the estimate after a refusal that `ownRequests` alone do not explain, because others used the rest. */
export function recordShortfall(
  state: OtherClientsState,
  { limit, ownRequests, elapsedMs }: Shortfall,
  nowMs: number,
): OtherClientsState {
  const measuredCount = limit - ownRequests;
  // Requests in flight cause small differences.
  if (measuredCount <= Math.max(1, limit * 0.05)) return state;
  const takenPermits = permitsOfOthers(state, limit, nowMs);
  const isFirstRefusal =
    state.refusedAtMs === null || nowMs - state.refusedAtMs > relatedWindows * windowMs;
  if (isFirstRefusal && takenPermits === 0) return { ...state, refusedAtMs: nowMs };
  // Other clients are refused too. Their usage so far is therefore extrapolated, but to at most half of the limit.
  const extrapolated = (measuredCount * windowMs) / Math.max(elapsedMs, 1_000);
  const estimate = Math.max(measuredCount, Math.min(extrapolated, limit / 2));
  // We kept to the last estimate and were refused, so the estimate was too low.
  const raised = takenPermits > 0 ? takenPermits + limit * reclaimShare : 0;
  const isFailedTry = state.permits > 0;
  return {
    permits: Math.ceil(Math.max(estimate, raised)),
    sinceMs: nowMs,
    backoffWindows: isFailedTry
      ? Math.min(backoffWindows.max, state.backoffWindows * 2)
      : backoffWindows.first,
    refusedAtMs: nowMs,
  };
}
