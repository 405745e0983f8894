// Events on their way to an intake: those of one moment go together, and each sender hears how it went.

/** Events that come together become one entry of a history. */
const gatherMs = 50;
const together = 100;

export class Outbox<Event> {
  readonly #send: (events: readonly Event[]) => Promise<unknown>;
  #waiting: { event: Event; kept: () => void; failed: (error: unknown) => void }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (events: readonly Event[]) => Promise<unknown>) {
    this.#send = send;
  }

  /** Settles when the event is durable. */
  post(event: Event): Promise<void> {
    return new Promise((kept, failed) => {
      this.#waiting.push({ event, kept, failed });
      if (this.#waiting.length >= together) this.#flush();
      else this.#timer ??= setTimeout(() => this.#flush(), gatherMs);
    });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
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
