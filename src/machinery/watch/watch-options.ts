// What a watch is told about the things that it looks at.
import type { RequestCounter } from '../../api/counter.ts';

export interface WatchOptions<Item, Look> {
  idOf: (item: Item) => string;
  /** @param hinted ids of which a notification has said that they changed */
  look: (
    items: readonly Item[],
    requests: RequestCounter,
    hinted: ReadonlySet<string>,
  ) => Promise<ReadonlyMap<string, Look>>;
  /** Nothing can change any more, so it is not looked at again. */
  isOver: (look: Look) => boolean;
  /** Least time between two looks at so many open items, ms; grows when the budget is tight. */
  gapMs: (open: number) => number;
  /** What notifications say has changed; without them only ticks tell. */
  hints?: WatchedHints<Item>;
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
  /** Nothing has to be looked at without a hint before it is known for so long, ms; 0: hints tell too little. */
  restMs: (open: number) => number;
  /** One look at everything costs no more than one at what was hinted at. */
  wholeBoard: boolean;
}
