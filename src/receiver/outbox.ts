// Batches events for an event trigger: events that arrive together are sent in one signal, and each sender gets the result.

/** Events within this time become one history event, so that the history stays small. */
const gatherMs = 50;
const together = 100;
const bytesTogether = 50_000;

export class Outbox<Event> {
  readonly #send: (events: readonly Event[]) => Promise<unknown>;
  #waiting: { event: Event; kept: () => void; failed: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;
  #bytes = 0;

  constructor(send: (events: readonly Event[]) => Promise<unknown>) {
    this.#send = send;
  }

  /** Settles when the event is durable. */
  post(event: Event): Promise<void> {
    return new Promise((kept, failed) => {
      const bytes = Buffer.byteLength(JSON.stringify(event));
      if (this.#waiting.length > 0 && this.#bytes + bytes > bytesTogether) this.#flush();
      this.#waiting.push({ event, kept, failed });
      this.#bytes += bytes;
      if (this.#waiting.length >= together) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#bytes = 0;
    const sent = this.#waiting.splice(0);
    this.#send(sent.map(({ event }) => event)).then(
      () => {
        for (const { kept } of sent) kept();
      },
      (error: unknown) => {
        for (const { failed } of sent) failed(error);
      },
    );
  }
}
