// Watches by notifications: items with a hint are looked at soon, the others rarely while hints can be relied on.
import { wakeEveryMs } from './hints.ts';
import type { Lookout } from './lookout.ts';
import { baseTickMs, hintGapMs } from './ticks.ts';
import type { WatchedHints } from './watch-options.ts';

/** While hints can be relied on, looks without one only find what none told of: rarely, a request a second. */
const restAtLeastMs = 5_000;
const restAtMostMs = 60_000;

export function restMs(requests: number): number {
  return Math.min(Math.max(restAtLeastMs, requests * baseTickMs), restAtMostMs);
}

/**
 * @param hintOf what a hint of an item is called
 * @param priceOf requests of a look at so many items
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
