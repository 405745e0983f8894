// Options of a poll coordinator: how its items are identified, polled and throttled.
import type { RequestCounter } from '../../api/counter.ts';
import type { LateLooks } from './lateness.ts';
import type { RationOptions } from './ration.ts';

export interface WatchOptions<Item, Look> {
  /** What is polled, for metrics. */
  name: string;
  idOf: (item: Item) => string;
  /**
   * @param hinted ids whose change a notification has announced
   * @param tell   reports statuses that are known before the poll has ended
   */
  look: (
    items: readonly Item[],
    requests: RequestCounter,
    hinted: ReadonlySet<string>,
    tell: (looks: ReadonlyMap<string, Look>) => void,
  ) => Promise<ReadonlyMap<string, Look>>;
  /** True once the status is final, so that the item is not polled again. */
  isOver: (look: Look) => boolean;
  /** Minimum time between two polls of the given number of open items, ms; grows when the budget is tight. */
  gapMs: (open: number) => number;
  /** How polls are throttled while the allowance is tight; absent: each poll covers all open items. */
  rationed?: RationOptions;
  /** Wake-ups by notifications; absent: items are polled by interval alone. */
  hints?: WatchedHints<Item>;
  /** Collects how late the polls of this coordinator are. */
  late?: LateLooks;
  now?: () => number;
}

export interface WatchedHints<Item> {
  has: (item: Item) => boolean;
  /** A poll of the item starts, so earlier wake-ups are done. */
  take: (item: Item) => void;
  /** A poll found the item finished. */
  over: (item: Item) => void;
  /** A wake-up arrived for an item that cannot be polled now, so waits are woken again soon. */
  again: () => void;
  /** Minimum time between two polls that wake-ups caused, ms. */
  gapMs: (hinted: number) => number;
  /** Time after which an item without a wake-up is polled again, ms; 0 if delivery is not reliable. */
  restMs: (open: number) => number;
  /** True if polling all items costs no more than polling the woken ones. */
  wholeBoard: boolean;
}
