// Tracks whether a receiver can accept notifications. Only problems of the installation count, so a sender cannot make
// the receiver unready.

/** The reason why notifications that start runs cannot be stored. */
export interface ReceiverProblem {
  code: string;
  message: string;
  fix: string;
}

export interface ProblemLog {
  error(fields: { code: string; fix: string }, message: string): void;
  warn(message: string): void;
}

/** Minimum time between two log lines about a problem that comes and goes. */
const logEveryMs = 3_600_000;

export class Readiness {
  readonly #log: ProblemLog;
  readonly #now: () => number;
  #problem: ReceiverProblem | null = null;
  /** True if the problem was logged, so that its end must be logged too. */
  #isLogged = false;
  readonly #loggedAtMs = new Map<string, number>();

  /**
   * @param log receives a line when a problem starts, at most hourly per code, and a line when the problem has ended
   */
  constructor(log: ProblemLog, now: () => number) {
    this.#log = log;
    this.#now = now;
  }

  /** The current problem. Null while notifications are accepted. */
  get problem(): ReceiverProblem | null {
    return this.#problem;
  }

  /** @param problem null if notifications are accepted */
  set(problem: ReceiverProblem | null): void {
    const previousProblem = this.#problem;
    if (problem === null) {
      this.#problem = null;
      if (this.#isLogged) this.#log.warn('Notifications that start runs are accepted again.');
      this.#isLogged = false;
      return;
    }
    const { code, message, fix } = problem;
    this.#problem = { code, message, fix };
    if (previousProblem?.code === code) return;
    const loggedAtMs = this.#loggedAtMs.get(code) ?? Number.NEGATIVE_INFINITY;
    if (this.#now() - loggedAtMs < logEveryMs) return;
    this.#loggedAtMs.set(code, this.#now());
    this.#isLogged = true;
    const lines = fix.split('\n').map((line) => line.trim());
    this.#log.error(
      { code, fix: lines.join('; ') },
      `Notifications that start runs get status 503, so that the platform sends them again: ${message}`,
    );
  }
}
