// Decides which calls are repeated after a timeout. The server also counts the time in which no worker runs, so a call
// may time out without an attempt, for example after a night without workers.
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';

export class TimedOutCalls {
  readonly #names = new Set<string>();

  /** True for a timeout of a call, unless a call of this step for one of these assets has timed out before. */
  mayRepeat(error: unknown, stepIndex = 0, assetIndexes: readonly number[] = [0]): boolean {
    const isTimeout = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
    if (!isTimeout) return false;
    const names = assetIndexes.map((assetIndex) => `${stepIndex} ${assetIndex}`);
    const isFirst = !names.some((name) => this.#names.has(name));
    for (const name of names) this.#names.add(name);
    return isFirst;
  }
}
