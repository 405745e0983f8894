// Event channels by which a process publishes its own work: requests, transfers and clock skew. Without subscribers they
// cost nothing.
import { type Channel, channel } from 'node:diagnostics_channel';

/** A channel for one kind of event. Any part of the process may subscribe. */
export class Telling<News> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`renderline.${name}`);
  }

  /** True while there are subscribers, so that callers can skip measurements without any. */
  get isHeard(): boolean {
    return this.#channel.hasSubscribers;
  }

  tell(news: News): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(news);
  }

  /** Subscribes a listener, which is called synchronously. Returns a function that unsubscribes. */
  hear(listener: (news: News) => void): () => void {
    // The type assertion is safe, because only `tell` publishes to this channel.
    const heard = (news: unknown) => listener(news as News);
    this.#channel.subscribe(heard);
    return () => {
      this.#channel.unsubscribe(heard);
    };
  }
}

/** An attempt of an API request has ended. */
export interface RequestNews {
  operation: string;
  /** Absent if there was no response. */
  status?: number;
  /** When the request was made, before its wait for the rate budget, epoch ms. */
  startedMs: number;
  /** Time spent waiting for the rate budget. */
  waitedMs: number;
  /** Time from sending until the response was read. */
  tookMs: number;
}

/** A transfer of a file to or from the platform has ended, with or without success. */
export interface TransferNews {
  direction: 'upload' | 'download';
  /** Bytes transferred, as far as known. */
  bytes: number;
  tookMs: number;
  ok: boolean;
}

/** The skew between the machine's clock and the platform's has changed. */
export interface ClockNews {
  /** By how much the machine's clock is ahead; 0 if it is right again. */
  aheadMs: number;
}

export const toldClocks = new Telling<ClockNews>('clock');
export const toldRequests = new Telling<RequestNews>('request');
export const toldTransfers = new Telling<TransferNews>('transfer');

/** Runs a transfer and emits its event. @param bytesOf returns the transferred bytes for a result; null if it failed */
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
