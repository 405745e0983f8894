// Polling by notifications: items with a wake-up are polled soon; the others are polled rarely while delivery is reliable.
import { wakeEveryMs } from './hints.ts';
import type { Lookout } from './lookout.ts';
import { baseTickMs, hintGapMs } from './ticks.ts';
import type { WatchedHints } from './watch-options.ts';

/** While delivery is reliable, polls without a wake-up only catch missed notifications: at most one request a second. */
const restAtLeastMs = 5_000;
const restAtMostMs = 60_000;

export function restMs(requests: number): number {
  return Math.min(Math.max(restAtLeastMs, requests * baseTickMs), restAtMostMs);
}

/**
 * @param hintOf the wake-up of an item: kind, slash, id
 * @param priceOf number of requests that one poll of the given number of items takes
 */
export function hintsBy<Item>(
  { hints, client: { pace } }: Lookout,
  hintOf: (item: Item) => string,
  priceOf: (items: number) => number,
): Omit<WatchedHints<Item>, 'restMs' | 'wholeBoard'> {
  return {
    has: (item) => hints.has(hintOf(item)),
    take: (item) => hints.take(hintOf(item)),
    over: (item) => hints.seen(hintOf(item)),
    again: () => hints.wakeSoon(),
    gapMs: (hinted) => hintGapMs(pace, wakeEveryMs, priceOf(hinted)),
  };
}
