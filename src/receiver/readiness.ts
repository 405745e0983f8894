// Whether a receiver can take what the platform sends. Only faults of its own installation count: nobody who posts to it
// can make it unready.

/** Why notifications that start runs cannot be kept. */
export interface ReceiverFault {
  code: string;
  message: string;
  fix: string;
}

export interface FaultLog {
  error(fields: { code: string; fix: string }, message: string): void;
  warn(message: string): void;
}

/** A fault that comes and goes must not fill a log. */
const logEveryMs = 3_600_000;

export class Readiness {
  readonly #log: FaultLog;
  readonly #now: () => number;
  #fault: ReceiverFault | null = null;
  /** True while the end of the fault is still to be logged. */
  #isLogged = false;
  readonly #loggedMs = new Map<string, number>();

  /** @param log gets a line when a fault begins, an hour apart for each code, and a line when it has ended */
  constructor(log: FaultLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** Null while notifications are taken. */
  get fault(): ReceiverFault | null {
    return this.#fault;
  }

  /** @param fault null where notifications are taken */
  set(fault: ReceiverFault | null): void {
    const before = this.#fault;
    if (fault === null) {
      this.#fault = null;
      if (this.#isLogged) this.#log.warn('Notifications that start runs are taken again.');
      this.#isLogged = false;
      return;
    }
    const { code, message, fix } = fault;
    this.#fault = { code, message, fix };
    if (before?.code === code) return;
    const loggedMs = this.#loggedMs.get(code) ?? Number.NEGATIVE_INFINITY;
    if (this.#now() - loggedMs < logEveryMs) return;
    this.#loggedMs.set(code, this.#now());
    this.#isLogged = true;
    const lines = fix.split('\n').map((line) => line.trim());
    this.#log.error(
      { code, fix: lines.join('; ') },
      `Notifications that start runs are answered 503, so that they are sent again: ${message}`,
    );
  }
}
