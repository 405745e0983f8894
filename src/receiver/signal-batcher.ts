// Batches events for an event trigger: events that arrive together are sent in one signal, and each sender gets the result.

/** Events within this time become one history event, so that the history stays small. */
const batchWindowMs = 50;
const batchSize = 100;
const batchBytes = 50_000;

export class SignalBatcher<Event> {
  readonly #send: (events: readonly Event[]) => Promise<unknown>;
  #waiting: { event: Event; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(send: (events: readonly Event[]) => Promise<unknown>) {
    this.#send = send;
  }

  /** Settles when the event is durable. */
  add(event: Event): Promise<void> {
    return new Promise((resolve, reject) => {
      const bytes = Buffer.byteLength(JSON.stringify(event));
      if (this.#waiting.length > 0 && this.#bytes + bytes > batchBytes) this.#flush();
      this.#waiting.push({ event, resolve, reject });
      this.#bytes += bytes;
      if (this.#waiting.length >= batchSize) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), batchWindowMs);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#bytes = 0;
    const sent = this.#waiting.splice(0);
    this.#send(sent.map(({ event }) => event)).then(
      () => {
        for (const { resolve } of sent) resolve();
      },
      (error: unknown) => {
        for (const { reject } of sent) reject(error);
      },
    );
  }
}
