// Estimates what other clients of a key take of its allowance, from what the platform refuses. Pure.
import { type OthersState, windowMs } from './allowance-contract.ts';

export const nobodyElse: OthersState = { taken: 0, sinceMs: 0, patience: 0, refusedMs: null };

/** Part of the allowance that is tried again in each window once patience is over. */
const regainedShare = 0.1;
/** Others never leave us less than this part of the allowance. */
const leftShare = 0.1;
/** Windows without a refusal before we try to take more; twice as many after each try that failed. */
const patience = { first: 2, most: 8 };
/** Refusals so close, in windows, belong together: a single one may be about requests of an earlier process. */
const together = 3;

/** Places that others are believed to take now. */
export function takenByOthers(state: OthersState, limit: number, nowMs: number): number {
  const quiet = Math.floor((nowMs - state.sinceMs) / windowMs) - state.patience;
  const regained = Math.max(0, quiet) * Math.max(1, Math.ceil(limit * regainedShare));
  const most = limit - Math.max(1, Math.floor(limit * leftShare));
  return Math.max(0, Math.min(most, state.taken - regained));
}

export interface Shortfall {
  limit: number;
  /** Requests of ours since the platform's window began. */
  ours: number;
  /** Time since then, ms. */
  elapsedMs: number;
}

/** The platform refused a request though we had sent `ours`: the rest of its window was taken by others. */
export function noteShortfall(
  state: OthersState,
  { limit, ours, elapsedMs }: Shortfall,
  nowMs: number,
): OthersState {
  const measured = limit - ours;
  // What is on its way makes small differences.
  if (measured <= Math.max(1, limit * 0.05)) return state;
  const taken = takenByOthers(state, limit, nowMs);
  const isLone = state.refusedMs === null || nowMs - state.refusedMs > together * windowMs;
  if (isLone && taken === 0) return { ...state, refusedMs: nowMs };
  // They are refused too, so what they took in a part of a window tells of more; but not of more than a half.
  const inFull = (measured * windowMs) / Math.max(elapsedMs, 1_000);
  const wanted = Math.max(measured, Math.min(inFull, limit / 2));
  // We kept to the last estimate and were refused, so it was too low.
  const raised = taken > 0 ? taken + limit * regainedShare : 0;
  const isFailedTry = state.taken > 0;
  return {
    taken: Math.ceil(Math.max(wanted, raised)),
    sinceMs: nowMs,
    patience: isFailedTry ? Math.min(patience.most, state.patience * 2) : patience.first,
    refusedMs: nowMs,
  };
}
