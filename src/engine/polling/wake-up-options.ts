// Polling by notifications: items with a wake-up are polled soon; the others are polled rarely while delivery is reliable.

import type { WakeUpOptions } from './coordinator-options.ts';
import { basePollIntervalMs, wakeUpGapMs } from './poll-interval.ts';
import type { PollerContext } from './poller-context.ts';
import { wakeIntervalMs } from './wake-ups.ts';

/** While delivery is reliable, polls without a wake-up only catch missed notifications: at most one request a second. */
const minRestMs = 5_000;
const maxRestMs = 60_000;

export function restMs(requests: number): number {
  return Math.min(Math.max(minRestMs, requests * basePollIntervalMs), maxRestMs);
}

/**
 * @param wakeUpOf the wake-up of an item: kind, slash, id
 * @param requestsFor number of requests that one poll of the given number of items takes
 */
export function createWakeUpOptions<Item>(
  { wakeUps, client: { pollBudget } }: PollerContext,
  wakeUpOf: (item: Item) => string,
  requestsFor: (items: number) => number,
): Omit<WakeUpOptions<Item>, 'restMs' | 'pollsAllItems'> {
  return {
    has: (item) => wakeUps.has(wakeUpOf(item)),
    consume: (item) => wakeUps.consume(wakeUpOf(item)),
    noteFinished: (item) => wakeUps.noteFinished(wakeUpOf(item)),
    wakeSoon: () => wakeUps.wakeWaitsSoon(),
    minGapMs: (items) => wakeUpGapMs(pollBudget, wakeIntervalMs, requestsFor(items)),
  };
}
