// Options of a poll coordinator: how its items are identified, polled and throttled.
import type { RequestCounter } from '../../api/counter.ts';
import type { PollLagMonitor } from './poll-lag.ts';
import type { PollThrottleOptions } from './poll-throttle.ts';

export interface CoordinatorOptions<Item, Status> {
  /** What is polled, for metrics. */
  name: string;
  idOf: (item: Item) => string;
  /**
   * @param wokenIds ids whose change a notification has announced
   * @param report   reports statuses that are known before the poll has ended
   */
  poll: (
    items: readonly Item[],
    requests: RequestCounter,
    wokenIds: ReadonlySet<string>,
    report: (statuses: ReadonlyMap<string, Status>) => void,
  ) => Promise<ReadonlyMap<string, Status>>;
  /** True once the status is final, so that the item is not polled again. */
  isFinished: (poll: Status) => boolean;
  /** Minimum time between two polls of the given number of open items, ms; grows when the budget is tight. */
  minGapMs: (open: number) => number;
  /** How polls are throttled while the allowance is tight; absent: each poll covers all open items. */
  throttle?: PollThrottleOptions;
  /** Wake-ups by notifications; absent: items are polled by interval alone. */
  wakeUps?: WakeUpOptions<Item>;
  /** Collects how late the polls of this coordinator are. */
  lagMonitor?: PollLagMonitor;
  now?: () => number;
}

export interface WakeUpOptions<Item> {
  has: (item: Item) => boolean;
  /** A poll of the item starts, so earlier wake-ups are done. */
  consume: (item: Item) => void;
  /** A poll found the item finished. */
  noteFinished: (item: Item) => void;
  /** A wake-up arrived for an item that cannot be polled now, so waits are woken again soon. */
  wakeSoon: () => void;
  /** Minimum time between two polls that wake-ups caused, ms. */
  minGapMs: (wokenIds: number) => number;
  /** Time after which an item without a wake-up is polled again, ms; 0 if delivery is not reliable. */
  restMs: (open: number) => number;
  /** True if polling all items costs no more than polling the woken ones. */
  pollsAllItems: boolean;
}
