// Ctrl-C: the first asks a command to end in order, the second ends it at once.

export class Interrupts {
  readonly #first = new AbortController();
  readonly #second = new AbortController();
  #taken = false;

  /** Called for each SIGINT or SIGTERM. */
  interrupt(): void {
    if (this.#first.signal.aborted) this.#second.abort();
    else this.#first.abort();
  }

  /** Aborts when a person asks to end. The caller promises to end soon after. */
  take(): AbortSignal {
    this.#taken = true;
    return this.#first.signal;
  }

  /** Aborts when the command must end at once: at the second interrupt, or a first that no command handles. */
  get forced(): AbortSignal {
    const forced = new AbortController();
    const force = () => forced.abort();
    this.#second.signal.addEventListener('abort', force, { once: true });
    this.#first.signal.addEventListener('abort', () => this.#taken || force(), { once: true });
    return forced.signal;
  }
}

/** Settles when the signal aborts; for races and for commands that run until told otherwise. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
