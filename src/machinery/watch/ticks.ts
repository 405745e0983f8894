// When the next look is due. Looks align to shared ticks, so that all waits of a worker ask together.
import type { Pace } from '../../api/urgent.ts';
import type { RunContext } from '../../plan/run-context.ts';

/** Time between looks when the budget is not tight. */
export const baseTickMs = 1_000;
const slowestTickMs = 8_000;

/**
 * Length of a tick under a budget pressure of 0 (idle) to 1 (the allowance is used up). Reads give way
 * long before creating calls do: a look that comes late costs latency, a create that comes late costs work.
 */
export function tickLengthMs(pressure: number): number {
  if (pressure < 0.5) return baseTickMs;
  const share = Math.min((pressure - 0.5) / 0.5, 1);
  return Math.round(baseTickMs + share * share * (slowestTickMs - baseTickMs));
}

/** A look comes late by this share of the time that was waited already, at most. */
const patience = 1 / 128;
const longestTickMs = 64_000;

/** Length of a tick after a long wait: twice as long with each doubling of the wait, so that ticks stay shared. */
export function patientTickMs(tickMs: number, waitedMs: number): number {
  const mostMs = Math.min(waitedMs * patience, longestTickMs);
  let patientMs = tickMs;
  while (patientMs * 2 <= mostMs) patientMs *= 2;
  return patientMs;
}

/** Share of the allowance that looks may take once half of it is spent; the rest is for work. */
const looksShare = 0.25;
const longestGapMs = 60_000;

/** Half of the allowance is spent; false where nobody knows it. */
export function isHalfSpent(pace: Pace): boolean {
  return pace.limit !== undefined && pace.pressure() >= 0.5;
}

/** An asset takes at least so many requests, with calls that are full. */
const requestsAnAsset = 0.1;

/** The run will need more than a minute permits; false where nobody knows one of them. */
export function needsMore(pace: Pace, { toDo = 0 }: Pick<RunContext, 'toDo'>): boolean {
  return toDo * requestsAnAsset > (pace.limit ?? Number.POSITIVE_INFINITY);
}

/**
 * Least time between two looks that cost so many requests each. Free while the allowance is not half spent
 * or not known; then a look over thousands of models comes as rarely as its price demands.
 */
export function lookGapMs(budget: Pace, requests: number): number {
  const pressure = budget.pressure();
  // Attempts of one tick come a little early or late, so a look is due somewhat before a tick is over.
  const tickMs = 0.6 * tickLengthMs(pressure);
  const { limit } = budget;
  if (pressure < 0.5 || limit === undefined) return tickMs;
  const priceMs = (requests / (looksShare * limit)) * 60_000;
  return Math.min(Math.max(tickMs, priceMs), Math.max(tickMs, longestGapMs));
}

/** The same between looks that hints caused: at once, until the allowance is half spent. */
export function hintGapMs(budget: Pace, wakeEveryMs: number, requests: number): number {
  // Wakes come a little early or late, and waits that begin between two of them are no reason for a look.
  return budget.pressure() < 0.5 ? 0.8 * wakeEveryMs : lookGapMs(budget, requests);
}

/** Milliseconds until the next shared tick; never 0, since a retry delay of 0 ends an activity. */
export function untilNextTickMs(nowMs: number, tickMs: number): number {
  const left = tickMs - (nowMs % tickMs);
  return left < 250 ? left + tickMs : left;
}
