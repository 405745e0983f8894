// Estimates from refusals what other clients of a key use of its rate limit. Pure.
import { type OthersState, windowMs } from './allowance-contract.ts';

export const nobodyElse: OthersState = { taken: 0, sinceMs: 0, patience: 0, refusedMs: null };

/** Share of the limit that is reclaimed in each window after the backoff. */
const regainedShare = 0.1;
/** We always keep at least this share of the limit. */
const leftShare = 0.1;
/** Windows without a refusal before permits are reclaimed; doubled after each failed attempt. */
const patience = { first: 2, most: 8 };
/** Refusals within this number of windows are related. A single one may be about requests of an earlier process. */
const together = 3;

/** Permits that other clients are believed to use now. */
export function takenByOthers(state: OthersState, limit: number, nowMs: number): number {
  const quiet = Math.floor((nowMs - state.sinceMs) / windowMs) - state.patience;
  const regained = Math.max(0, quiet) * Math.max(1, Math.ceil(limit * regainedShare));
  const most = limit - Math.max(1, Math.floor(limit * leftShare));
  return Math.max(0, Math.min(most, state.taken - regained));
}

export interface Shortfall {
  limit: number;
  /** Our requests since the platform's window began. */
  ours: number;
  /** Time since the window began, ms. */
  elapsedMs: number;
}

/** Handles a refusal although we had sent only `ours`: other clients used the rest of the window. */
export function noteShortfall(
  state: OthersState,
  { limit, ours, elapsedMs }: Shortfall,
  nowMs: number,
): OthersState {
  const measured = limit - ours;
  // Requests in flight cause small differences.
  if (measured <= Math.max(1, limit * 0.05)) return state;
  const taken = takenByOthers(state, limit, nowMs);
  const isLone = state.refusedMs === null || nowMs - state.refusedMs > together * windowMs;
  if (isLone && taken === 0) return { ...state, refusedMs: nowMs };
  // Other clients are refused too, so their usage in a part of a window is extrapolated, but to at most half of the limit.
  const inFull = (measured * windowMs) / Math.max(elapsedMs, 1_000);
  const wanted = Math.max(measured, Math.min(inFull, limit / 2));
  // We kept to the last estimate and were refused, so the estimate was too low.
  const raised = taken > 0 ? taken + limit * regainedShare : 0;
  const isFailedTry = state.taken > 0;
  return {
    taken: Math.ceil(Math.max(wanted, raised)),
    sinceMs: nowMs,
    patience: isFailedTry ? Math.min(patience.most, state.patience * 2) : patience.first,
    refusedMs: nowMs,
  };
}
