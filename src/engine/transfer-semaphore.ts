// Limits the concurrent transfers of one worker across all its activities. Large files may use only some of the slots,
// so that small files can overtake them. Transfers of urgent runs go first, and runs take turns.
import PQueue from 'p-queue';
import { callOnAbort } from '../api/abort.ts';
import { FairQueue, type FairQueueOptions } from './fair-queue.ts';

/** Size above which a file counts as large, because its transfer takes so long that it would block others. */
const largeFileBytes = 64 * 1024 * 1024;

export function isLargeFile({ bytes }: { bytes: number }): boolean {
  return bytes > largeFileBytes;
}

/** How transfers wait for a slot: their run, its priority, and when to stop waiting. */
interface WaitOptions {
  urgent?: boolean | undefined;
  run?: string;
  /** Aborts the wait, but not running work. */
  signal?: AbortSignal | undefined;
}

type Lane = PQueue<FairQueue, FairQueueOptions>;

interface Lanes {
  allFiles: Lane;
  large: Lane;
}

export class Semaphore {
  readonly #lanes: Lanes;
  readonly #waitOptions: WaitOptions;

  private constructor(lanes: Lanes, waitOptions: WaitOptions) {
    this.#lanes = lanes;
    this.#waitOptions = waitOptions;
  }

  /** @param large number of slots that large files may use; @default a quarter of `count` */
  static of(count: number, large = Math.ceil(count / 4)): Semaphore {
    const createLane = (concurrency: number): Lane =>
      new PQueue({ concurrency, queueClass: FairQueue });
    return new Semaphore({ allFiles: createLane(count), large: createLane(large) }, {});
  }

  /** Returns the same slots with other wait options, for one attempt. */
  withOptions(waitOptions: WaitOptions): Semaphore {
    return new Semaphore(this.#lanes, { ...this.#waitOptions, ...waitOptions });
  }

  /** Runs the work once a slot is free. Urgent runs go first. Other runs take turns, each in the order of its calls. */
  run<T>(task: () => Promise<T>, isLarge = false): Promise<T> {
    const { allFiles, large } = this.#lanes;
    const runInSlot = () => this.#queue(allFiles, task);
    return isLarge ? this.#queue(large, runInSlot) : runInSlot();
  }

  /** Runs the work for each item in free slots. Once all have ended, rejects with the first failed item's error. */
  async forEach<Item, T>(
    items: readonly Item[],
    task: (item: Item) => Promise<T>,
    isLarge: (item: Item) => boolean = () => false,
  ): Promise<T[]> {
    const outcomes = await Promise.allSettled(
      items.map((item) => this.run(() => task(item), isLarge(item))),
    );
    return outcomes.map((end) => {
      if (end.status === 'rejected') throw end.reason;
      return end.value;
    });
  }

  #queue<T>(lane: Lane, task: () => Promise<T>): Promise<T> {
    const { urgent = false, signal, run = '' } = this.#waitOptions;
    // Only the wait is aborted, because p-queue would free the slot of aborted work before the work has ended.
    const waitController = new AbortController();
    const stopListening = callOnAbort(signal, () => waitController.abort(signal?.reason));
    const begin = () => {
      stopListening();
      return task();
    };
    return lane.add(begin, { priority: urgent ? 1 : 0, run, signal: waitController.signal });
  }
}
