// Options of a watch, which describe the things that it looks at.
import type { RequestCounter } from '../../api/counter.ts';
import type { LateLooks } from './lateness.ts';
import type { RationOptions } from './ration.ts';

export interface WatchOptions<Item, Look> {
  /** What is watched, for metrics. */
  name: string;
  idOf: (item: Item) => string;
  /**
   * @param hinted ids of which a notification has said that they changed
   * @param tell   for what is known before the look has ended
   */
  look: (
    items: readonly Item[],
    requests: RequestCounter,
    hinted: ReadonlySet<string>,
    tell: (looks: ReadonlyMap<string, Look>) => void,
  ) => Promise<ReadonlyMap<string, Look>>;
  /** True once nothing can change any more, so the item is not looked at again. */
  isOver: (look: Look) => boolean;
  /** Least time between two looks at so many open items, ms; grows when the budget is tight. */
  gapMs: (open: number) => number;
  /** How looks are rationed while the allowance is tight; without it they cover all open items. */
  rationed?: RationOptions;
  /** Hints of notifications about changes; without them only ticks tell. */
  hints?: WatchedHints<Item>;
  /** Told how late the looks of this watch come. */
  late?: LateLooks;
  now?: () => number;
}

export interface WatchedHints<Item> {
  has: (item: Item) => boolean;
  /** A look at it begins, which answers what was said so far. */
  take: (item: Item) => void;
  /** A look found it over. */
  over: (item: Item) => void;
  /** Something was said of an item that could not be looked at now. */
  again: () => void;
  /** Least time between two looks that hints caused, ms. */
  gapMs: (hinted: number) => number;
  /** Time that an item rests without a hint before it is looked at again, ms; 0: hints tell too little. */
  restMs: (open: number) => number;
  /** True where one look at everything costs no more than one at the hinted items. */
  wholeBoard: boolean;
}
