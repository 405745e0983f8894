// When the next poll is due. Polls align to shared intervals, so that all waits of a worker poll together.
import type { Pace } from '../../api/urgent.ts';
import type { RunContext } from '../../plan/run-context.ts';

/** Time between polls while the budget is not tight. */
export const baseTickMs = 1_000;
const slowestTickMs = 8_000;

/**
 * Poll interval under a budget pressure of 0 (idle) to 1 (the allowance is used up). Reads give way long before creating
 * calls do: a late poll costs latency, a late creation delays work.
 */
export function tickLengthMs(pressure: number): number {
  if (pressure < 0.5) return baseTickMs;
  const share = Math.min((pressure - 0.5) / 0.5, 1);
  return Math.round(baseTickMs + share * share * (slowestTickMs - baseTickMs));
}

/** A poll may be late by at most this share of the time already waited. */
const patience = 1 / 128;
const longestTickMs = 64_000;

/** Poll interval after a long wait. It doubles with each doubling of the wait, so that intervals stay aligned. */
export function patientTickMs(tickMs: number, waitedMs: number): number {
  const mostMs = Math.min(waitedMs * patience, longestTickMs);
  let patientMs = tickMs;
  while (patientMs * 2 <= mostMs) patientMs *= 2;
  return patientMs;
}

/** Share of the allowance that polls may take once half of it is spent; the rest is for creating calls. */
const looksShare = 0.25;
const longestGapMs = 60_000;

/** True if half of the allowance is spent; false while the allowance is unknown. */
export function isHalfSpent(pace: Pace): boolean {
  return pace.limit !== undefined && pace.pressure() >= 0.5;
}

/** Minimum number of requests per asset, if all calls are full. */
const requestsAnAsset = 0.1;

/** True if the run will need more requests than a minute permits; false while either number is unknown. */
export function needsMore(pace: Pace, { toDo = 0 }: Pick<RunContext, 'toDo'>): boolean {
  return toDo * requestsAnAsset > (pace.limit ?? Number.POSITIVE_INFINITY);
}

/**
 * Minimum time between two polls of `requests` requests each, ms. While the allowance is unknown or less than half spent
 * this is about one poll interval. Then a poll of thousands of models is as rare as its cost demands.
 */
export function lookGapMs(budget: Pace, requests: number): number {
  const pressure = budget.pressure();
  // Attempts of one interval come a little early or late, so a poll is due somewhat before the interval is over.
  const tickMs = 0.6 * tickLengthMs(pressure);
  const { limit } = budget;
  if (pressure < 0.5 || limit === undefined) return tickMs;
  const priceMs = (requests / (looksShare * limit)) * 60_000;
  return Math.min(Math.max(tickMs, priceMs), Math.max(tickMs, longestGapMs));
}

/** The same between polls that wake-ups caused: at once, until the allowance is half spent. */
export function hintGapMs(budget: Pace, wakeEveryMs: number, requests: number): number {
  // Waits are woken a little early or late, and a wait that starts in between is no reason to poll.
  return budget.pressure() < 0.5 ? 0.8 * wakeEveryMs : lookGapMs(budget, requests);
}

/** Milliseconds until the next shared poll; never 0, because Temporal fails an activity whose retry delay is 0. */
export function untilNextTickMs(nowMs: number, tickMs: number): number {
  const left = tickMs - (nowMs % tickMs);
  return left < 250 ? left + tickMs : left;
}
