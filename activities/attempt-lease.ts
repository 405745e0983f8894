// Checks whether this attempt of an activity is still the current one. A worker that was suspended and resumes after
// another worker has taken over must not overwrite newer results.
import { Context } from '@temporalio/activity';
import { startStopwatch } from '../src/api/clock.ts';
import type { Deps } from './deps.ts';

/** No other attempt starts within this time after a confirmation by the server, since heartbeats time out later. */
const leaseMs = 10_000;
/** The clocks of the platform and of the Temporal server may differ by this much. */
const maxClockSkewMs = 2_000;
const maxAttempts = 10;
const retryDelayMs = 1_000;

/** Thrown if another attempt has taken over, or the work was cancelled. This attempt must write nothing more. */
export class StaleAttemptError extends Error {
  override name = 'StaleAttemptError';

  constructor() {
    super(
      'Temporal abandoned this attempt while its worker was suspended; another attempt continues the work',
    );
  }
}

/**
 * Determines whether this attempt of an activity may still write. `assertLease` asks the server at most once in ten
 * seconds. An attempt that ends within ten seconds of its scheduling usually sends no request.
 */
export class AttemptLease {
  readonly #deps: Pick<Deps, 'workflows' | 'now' | 'monotonicNow'>;
  readonly #taskToken: Uint8Array;
  readonly #signal: AbortSignal;
  #leaseMs: number;
  #since: () => number;
  #asking: Promise<void> | undefined;

  constructor(deps: Pick<Deps, 'workflows' | 'now' | 'monotonicNow'>) {
    const { info, cancellationSignal } = Context.current();
    this.#deps = deps;
    this.#taskToken = info.taskToken;
    this.#signal = cancellationSignal;
    // The lease starts when the attempt was scheduled, because a suspended worker may start the attempt much later.
    const ageMs = deps.now() - info.currentAttemptScheduledTimestampMs;
    this.#leaseMs = ageMs < -maxClockSkewMs ? 0 : leaseMs - ageMs;
    this.#since = this.#fromNow();
  }

  /**
   * Confirms that this attempt is the current one. Must be called right before anything that cannot be undone: a
   * creating call, a file under its final name, a record.
   * @throws StaleAttemptError, or the server's error if the server stays unreachable
   */
  assertLease(): Promise<void> {
    if (this.#since() < this.#leaseMs) return Promise.resolve();
    this.#asking ??= this.confirmNow().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Asks the server even if the last answer is recent, because a run can be terminated at any time. */
  async confirmNow(): Promise<void> {
    const { workflows } = this.#deps;
    for (let tries = 1; ; tries += 1) {
      const sinceRequest = this.#fromNow();
      try {
        if (!(await workflows.isAttemptCurrent(this.#taskToken))) throw new StaleAttemptError();
        this.#since = sinceRequest;
        this.#leaseMs = leaseMs;
        return;
      } catch (error) {
        if (error instanceof StaleAttemptError || tries === maxAttempts) throw error;
        this.#signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
      }
    }
  }

  #fromNow(): () => number {
    // Both clocks are needed, because the monotonic clock stops while the machine sleeps and the wall clock does not.
    return startStopwatch({ wall: () => Date.now(), monotonic: this.#deps.monotonicNow });
  }
}
