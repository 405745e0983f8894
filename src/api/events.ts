// Event channels of this process: requests, transfers and clock skew. A channel without subscribers costs nothing.
import { type Channel, channel } from 'node:diagnostics_channel';

/** A channel for one kind of event. Any part of the process may subscribe. */
export class EventChannel<Payload> {
  readonly #channel: Channel;

  constructor(name: string) {
    this.#channel = channel(`renderline.${name}`);
  }

  /** True while there are subscribers. Otherwise callers can skip measurements. */
  get hasSubscribers(): boolean {
    return this.#channel.hasSubscribers;
  }

  emit(payload: Payload): void {
    if (this.#channel.hasSubscribers) this.#channel.publish(payload);
  }

  /** Subscribes a listener, which is called synchronously. Returns a function that unsubscribes. */
  subscribe(listener: (payload: Payload) => void): () => void {
    // The type assertion is safe, because only `emit` publishes to this channel.
    const handler = (payload: unknown) => listener(payload as Payload);
    this.#channel.subscribe(handler);
    return () => {
      this.#channel.unsubscribe(handler);
    };
  }
}

/** An attempt of an API request has ended. */
export interface RequestEvent {
  operation: string;
  /** Undefined if there was no response. */
  status?: number;
  /** When the request was issued, before it waited for the rate budget, in epoch ms. */
  startedAtMs: number;
  /** Time spent waiting for the rate budget. */
  waitMs: number;
  /** Time from sending until the response was read. */
  durationMs: number;
}

/** A file transfer to or from the platform has ended, successfully or not. */
export interface TransferEvent {
  direction: 'upload' | 'download';
  /** Bytes transferred, as far as known. */
  bytes: number;
  durationMs: number;
  ok: boolean;
}

/** The skew between the machine's clock and the platform's has changed. */
export interface ClockSkewEvent {
  /** How far the machine's clock is ahead. Zero once the clock is right again. */
  aheadMs: number;
}

export const clockSkewEvents = new EventChannel<ClockSkewEvent>('clock');
export const requestEvents = new EventChannel<RequestEvent>('request');
export const transferEvents = new EventChannel<TransferEvent>('transfer');

/** Runs a transfer and emits its event. @param bytesOf returns the bytes of a result, or of null after a failure */
export async function withTransferEvent<T>(
  direction: TransferEvent['direction'],
  transfer: () => Promise<T>,
  bytesOf: (result: T | null) => number,
): Promise<T> {
  const startedAtMs = performance.now();
  const emitEnd = (result: T | null) =>
    transferEvents.emit({
      direction,
      bytes: bytesOf(result),
      durationMs: performance.now() - startedAtMs,
      ok: result !== null,
    });
  try {
    const result = await transfer();
    emitEnd(result);
    return result;
  } catch (error) {
    emitEnd(null);
    throw error;
  }
}
