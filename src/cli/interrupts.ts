// Handles Ctrl-C. The first one asks the command to stop gracefully, and the second one stops it immediately.

export class Interrupts {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  #isTaken = false;

  /** Called for each SIGINT or SIGTERM. */
  interrupt(): void {
    if (this.#first.signal.aborted) this.#second.abort();
    else this.#first.abort();
  }

  /** Returns a signal that aborts at the first interrupt. A caller that requests the signal must then stop soon. */
  handleFirst(): AbortSignal {
    this.#isTaken = true;
    return this.#first.signal;
  }

  /** Aborts at the second interrupt, or at the first one if no command has requested its signal. */
  get forced(): AbortSignal {
    const forced = new AbortController();
    const force = () => forced.abort();
    this.#second.signal.addEventListener('abort', force, { once: true });
    this.#first.signal.addEventListener('abort', () => this.#isTaken || force(), { once: true });
    return forced.signal;
  }
}
