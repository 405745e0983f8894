// What a process tells of its own work while it goes on: requests and transfers. It costs nothing while nobody listens.
import { type Channel, channel } from 'node:diagnostics_channel';

/** One kind of news, for as many listeners as there are; any part of the process may listen. */
export class Telling<News> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`renderline.${name}`);
  }

  /** False while nobody listens, so that nothing is measured for nobody. */
  get isHeard(): boolean {
    return this.#channel.hasSubscribers;
  }

  tell(news: News): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(news);
  }

  /** Listeners are called at once, where the news is told. Gives what ends the listening. */
  hear(listener: (news: News) => void): () => void {
    // Only `tell` publishes here, and it takes nothing else.
    const heard = (news: unknown) => listener(news as News);
    this.#channel.subscribe(heard);
    return () => {
      this.#channel.unsubscribe(heard);
    };
  }
}

/** A try of an API request, when it has ended. */
export interface RequestNews {
  operation: string;
  /** Absent where no answer came. */
  status?: number;
  /** When it was wanted, epoch ms. */
  startedMs: number;
  /** For a place in the allowance. */
  waitedMs: number;
  /** From being sent until its answer was read. */
  tookMs: number;
}

/** A file that went to the platform or came from it, or did not. */
export interface TransferNews {
  direction: 'upload' | 'download';
  /** Those that have gone over the wire, as far as that is known. */
  bytes: number;
  tookMs: number;
  ok: boolean;
}

/** The machine's clock differs from the platform's by another time than before. */
export interface ClockNews {
  /** 0: it is right again. */
  aheadMs: number;
}

export const toldClocks = new Telling<ClockNews>('clock');
export const toldRequests = new Telling<RequestNews>('request');
export const toldTransfers = new Telling<TransferNews>('transfer');

/** Does a transfer and tells of it. @param bytesOf what it has moved, from its result; null where it failed */
export async function tellTransfer<T>(
  direction: TransferNews['direction'],
  work: () => Promise<T>,
  bytesOf: (result: T | null) => number,
): Promise<T> {
  const startedMs = performance.now();
  const told = (result: T | null) =>
    toldTransfers.tell({
      direction,
      bytes: bytesOf(result),
      tookMs: performance.now() - startedMs,
      ok: result !== null,
    });
  try {
    const result = await work();
    told(result);
    return result;
  } catch (error) {
    told(null);
    throw error;
  }
}
