// When the next poll is due. Polls align to shared intervals, so that all waits of a worker poll together.
import type { PollBudget } from '../../api/rate-limit/poll-budget.ts';
import type { RunContext } from '../../plan/run/run-context.ts';

/** Time between polls while the budget is not tight. */
export const basePollIntervalMs = 1_000;
const tightPollIntervalMs = 8_000;

/**
 * Poll interval under a budget pressure of 0 (idle) to 1 (the allowance is used up). Reads give way long before creating
 * calls do: a late poll costs latency, a late creation delays work.
 */
export function pollIntervalForMs(pressure: number): number {
  if (pressure < 0.5) return basePollIntervalMs;
  const share = Math.min((pressure - 0.5) / 0.5, 1);
  return Math.round(
    basePollIntervalMs + share * share * (tightPollIntervalMs - basePollIntervalMs),
  );
}

/** A poll may be late by at most this share of the time already waited. */
const lateShare = 1 / 128;
const maxPollIntervalMs = 64_000;

/** Poll interval after a long wait. It doubles with each doubling of the wait, so that intervals stay aligned. */
export function longWaitIntervalMs(intervalMs: number, waitedMs: number): number {
  const maxMs = Math.min(waitedMs * lateShare, maxPollIntervalMs);
  let waitIntervalMs = intervalMs;
  while (waitIntervalMs * 2 <= maxMs) waitIntervalMs *= 2;
  return waitIntervalMs;
}

/** Share of the allowance that polls may take once half of it is spent; the rest is for creating calls. */
const pollShare = 0.25;
const maxGapMs = 60_000;

/** True if half of the allowance is spent; false while the allowance is unknown. */
export function isHalfSpent(pollBudget: PollBudget): boolean {
  return pollBudget.limit !== undefined && pollBudget.pressure() >= 0.5;
}

/** Minimum number of requests per asset, if all calls are full. */
const requestsAnAsset = 0.1;

/** True if the run will need more requests than a minute permits; false while either number is unknown. */
export function exceedsAllowance(
  pollBudget: PollBudget,
  { assetCount = 0 }: Pick<RunContext, 'assetCount'>,
): boolean {
  return assetCount * requestsAnAsset > (pollBudget.limit ?? Number.POSITIVE_INFINITY);
}

/**
 * Minimum time between two polls of `requests` requests each, ms. While the allowance is unknown or less than half spent
 * this is about one poll interval. Then a poll of thousands of models is as rare as its cost demands.
 */
export function pollGapMs(budget: PollBudget, requests: number): number {
  const pressure = budget.pressure();
  // Attempts of one interval come a little early or late, so a poll is due somewhat before the interval is over.
  const intervalMs = 0.6 * pollIntervalForMs(pressure);
  const { limit } = budget;
  if (pressure < 0.5 || limit === undefined) return intervalMs;
  const priceMs = (requests / (pollShare * limit)) * 60_000;
  return Math.min(Math.max(intervalMs, priceMs), Math.max(intervalMs, maxGapMs));
}

/** The same between polls that wake-ups caused: at once, until the allowance is half spent. */
export function wakeUpGapMs(budget: PollBudget, wakeIntervalMs: number, requests: number): number {
  // Waits are woken a little early or late, and a wait that starts in between is no reason to poll.
  return budget.pressure() < 0.5 ? 0.8 * wakeIntervalMs : pollGapMs(budget, requests);
}

/** Milliseconds until the next shared poll; never 0, because Temporal fails an activity whose retry delay is 0. */
export function untilNextPollMs(nowMs: number, intervalMs: number): number {
  const left = intervalMs - (nowMs % intervalMs);
  return left < 250 ? left + intervalMs : left;
}
