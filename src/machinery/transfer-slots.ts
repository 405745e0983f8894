// Bounds how many transfers one worker has under way, over all its activities. Large files have few of the slots, so that
// small ones pass them; those of urgent runs go first, and runs take turns.
import PQueue from 'p-queue';
import { whenAborted } from '../api/abort.ts';
import { type Turn, TurnQueue } from './turn-queue.ts';

/** Larger files take so long that others would be held up by them. */
const largeFileBytes = 64 * 1024 * 1024;

export function isLargeFile({ bytes }: { bytes: number }): boolean {
  return bytes > largeFileBytes;
}

/** For whom transfers wait. */
interface Waiting {
  urgent?: boolean | undefined;
  /** Id of the run. */
  run?: string;
  /** Ends the waiting, not the work. */
  signal?: AbortSignal | undefined;
}

type Lane = PQueue<TurnQueue, Turn>;

interface Lanes {
  all: Lane;
  large: Lane;
}

export class Slots {
  readonly #lanes: Lanes;
  readonly #waiting: Waiting;

  private constructor(lanes: Lanes, waiting: Waiting) {
    this.#lanes = lanes;
    this.#waiting = waiting;
  }

  /** @param large how many of them may be of large files; @default a quarter */
  static of(count: number, large = Math.ceil(count / 4)): Slots {
    const laneOf = (concurrency: number): Lane =>
      new PQueue({ concurrency, queueClass: TurnQueue });
    return new Slots({ all: laneOf(count), large: laneOf(large) }, {});
  }

  /** The same slots, for an attempt that may be urgent and may end. */
  within(waiting: Waiting): Slots {
    return new Slots(this.#lanes, { ...this.#waiting, ...waiting });
  }

  /** Runs the work when a slot is free: of urgent runs first, else of each run in turn, in the order of its calls. */
  run<T>(work: () => Promise<T>, isLarge = false): Promise<T> {
    const { all, large } = this.#lanes;
    const inSlot = () => this.#queue(all, work);
    return isLarge ? this.#queue(large, inSlot) : inSlot();
  }

  /** Runs the work for every item, in order of free slots; rejects with the first error after all have ended. */
  async each<Item, T>(
    items: readonly Item[],
    work: (item: Item) => Promise<T>,
    isLarge: (item: Item) => boolean = () => false,
  ): Promise<T[]> {
    const ended = await Promise.allSettled(
      items.map((item) => this.run(() => work(item), isLarge(item))),
    );
    return ended.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  }

  #queue<T>(lane: Lane, work: () => Promise<T>): Promise<T> {
    const { urgent = false, signal, run = '' } = this.#waiting;
    // The queue would give the slot of work that is aborted away while it still ends.
    const waiting = new AbortController();
    const stopListening = whenAborted(signal, () => waiting.abort(signal?.reason));
    const begin = () => {
      stopListening();
      return work();
    };
    return lane.add(begin, { priority: urgent ? 1 : 0, run, signal: waiting.signal });
  }
}
