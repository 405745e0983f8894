// Tracks whether a receiver can accept notifications. Only faults of the installation count, so no sender can make the
// receiver unready.

/** Why notifications that start runs cannot be stored. */
export interface ReceiverFault {
  code: string;
  message: string;
  fix: string;
}

export interface FaultLog {
  error(fields: { code: string; fix: string }, message: string): void;
  warn(message: string): void;
}

/** Minimum time between two log lines about a fault that comes and goes. */
const logEveryMs = 3_600_000;

export class Readiness {
  readonly #log: FaultLog;
  readonly #now: () => number;
  #fault: ReceiverFault | null = null;
  /** True if the fault was logged, so that its end must be logged too. */
  #isLogged = false;
  readonly #loggedMs = new Map<string, number>();

  /** @param log gets a line when a fault starts, at most once an hour per code, and a line when the fault has ended */
  constructor(log: FaultLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** The current fault; null while notifications are accepted. */
  get fault(): ReceiverFault | null {
    return this.#fault;
  }

  /** @param fault null if notifications are accepted */
  set(fault: ReceiverFault | null): void {
    const before = this.#fault;
    if (fault === null) {
      this.#fault = null;
      if (this.#isLogged) this.#log.warn('Notifications that start runs are accepted again.');
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
      `Notifications that start runs get status 503, so that the platform sends them again: ${message}`,
    );
  }
}
