// Decides which calls are repeated after a timeout. The server also counts the time in which no worker runs, so a call
// may time out without an attempt, for example after a night without workers.
import { ActivityFailure, TimeoutFailure } from '@temporalio/workflow';

export class TimedOutCalls {
  readonly #names = new Set<string>();

  /** Returns the assets for which a call of this step has timed out for the first time. None for other errors. */
  takeRepeatable(error: unknown, stepIndex = 0, assetIndexes: readonly number[] = [0]): number[] {
    const isTimeout = error instanceof ActivityFailure && error.cause instanceof TimeoutFailure;
    if (!isTimeout) return [];
    const nameOf = (assetIndex: number) => `${stepIndex} ${assetIndex}`;
    const repeatable = assetIndexes.filter((assetIndex) => !this.#names.has(nameOf(assetIndex)));
    for (const assetIndex of repeatable) this.#names.add(nameOf(assetIndex));
    return repeatable;
  }
}
