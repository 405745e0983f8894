// Events on their way to an intake: those of one moment go together, and each sender hears how it went.

/** Events that come together become one entry of a history, which stays small. */
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
