// Tells whether this attempt of an activity still counts. A worker that was stopped for a while and wakes after
// another has taken over must not overwrite newer results with its own.
import { Context } from '@temporalio/activity';
import { longestSince } from '../src/api/clock.ts';
import type { Deps } from './deps.ts';

/** Within this time after the server has said so no other attempt begins: it waits for our signs of life for longer. */
const certainForMs = 10_000;
/** The clocks of platform and server may be apart by this much. */
const apartMs = 2_000;
const triesAtMost = 10;
const tryAgainMs = 1_000;

/** Another attempt works in the place of this one, or nobody wants its work any more. What it has in hand is void. */
export class StaleAttemptError extends Error {
  override name = 'StaleAttemptError';

  constructor() {
    super(
      'this attempt was given up by Temporal while its worker stood still; another one does its work',
    );
  }
}

/** `hold` asks at most once in ten seconds, so quick activities that make nothing ask never. */
export class Lease {
  readonly #deps: Pick<Deps, 'workflows' | 'now' | 'elapsed'>;
  readonly #taskToken: Uint8Array;
  readonly #signal: AbortSignal;
  #certainForMs: number;
  #since: () => number;
  #asking: Promise<void> | undefined;

  constructor(deps: Pick<Deps, 'workflows' | 'now' | 'elapsed'>) {
    const { info, cancellationSignal } = Context.current();
    this.#deps = deps;
    this.#taskToken = info.taskToken;
    this.#signal = cancellationSignal;
    // A worker that stood still may take up only now what it was given long ago.
    const ageMs = deps.now() - info.currentAttemptScheduledTimestampMs;
    this.#certainForMs = ageMs < -apartMs ? 0 : certainForMs - ageMs;
    this.#since = this.#fromNow();
  }

  /**
   * To be asked right before whatever cannot be taken back: a creating call, a file under its name, a record.
   * @throws StaleAttemptError; the server's error where it cannot be asked for long
   */
  hold(): Promise<void> {
    if (this.#since() < this.#certainForMs) return Promise.resolve();
    this.#asking ??= this.confirm().finally(() => {
      this.#asking = undefined;
    });
    return this.#asking;
  }

  /** Asks now: a run that somebody ends is over at once, whatever the server has said a moment ago. */
  async confirm(): Promise<void> {
    const { workflows } = this.#deps;
    for (let tries = 1; ; tries += 1) {
      const sinceAsked = this.#fromNow();
      try {
        if (!(await workflows.isCurrent(this.#taskToken))) throw new StaleAttemptError();
        this.#since = sinceAsked;
        this.#certainForMs = certainForMs;
        return;
      } catch (error) {
        if (error instanceof StaleAttemptError || tries === triesAtMost) throw error;
        this.#signal.throwIfAborted();
        await new Promise((resolve) => setTimeout(resolve, tryAgainMs));
      }
    }
  }

  #fromNow(): () => number {
    // Where the machine slept, only its time of day says so.
    return longestSince({ wall: () => Date.now(), monotonic: this.#deps.elapsed });
  }
}
