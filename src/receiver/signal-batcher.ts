// Batches events for an event trigger, so that one signal contains all of a batch. Each sender receives its result.

/** Events within this time become one history event, so that the history stays small. */
const batchWindowMs = 50;
const batchSize = 100;
const batchBytes = 50_000;

export class SignalBatcher<Event> {
  readonly #send: (events: readonly Event[]) => Promise<unknown>;
  #queue: { event: Event; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(send: (events: readonly Event[]) => Promise<unknown>) {
    this.#send = send;
  }

  /** Resolves when Temporal has stored the event. Rejects if the signal failed. */
  add(event: Event): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.byteLength(JSON.stringify(event));
      if (this.#queue.length > 0 && this.#bytes + bytes > batchBytes) this.#flush();
      this.#queue.push({ event, resolve, reject });
      this.#bytes += bytes;
      if (this.#queue.length >= batchSize) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), batchWindowMs);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#bytes = 0;
    const batch = this.#queue.splice(0);
    this.#send(batch.map(({ event }) => event)).then(
      () => {
        for (const { resolve } of batch) resolve();
      },
      (error: unknown) => {
        for (const { reject } of batch) reject(error);
      },
    );
  }
}
