// Tracks whether this worker is the poll leader of its task queue, and defines the activity that makes it the leader.
import { Context } from '@temporalio/activity';
import { callOnAbort } from '../src/api/abort.ts';
import { handOverFailure } from './failures.ts';
import { withHeartbeats } from './heartbeats.ts';

const heartbeatMs = 1_000;

export class PollLeader {
  /** Called on every change until the worker stops. At first the worker is not the leader. */
  onChange: (isLeader: boolean) => void = () => {};
  #holdCount = 0;
  #isLeaving = false;
  readonly #ends = new Set<() => void>();

  get isLeader(): boolean {
    return this.#holdCount > 0;
  }

  /** Makes the worker the leader until the signal aborts, or until `stepDown` or `resign` is called. */
  async lead(signal: AbortSignal): Promise<void> {
    if (this.#isLeaving || signal.aborted) return;
    this.#count(1);
    try {
      await new Promise<void>((resolve) => {
        this.#ends.add(resolve);
        callOnAbort(signal, resolve);
      });
    } finally {
      this.#count(-1);
    }
  }

  /** Gives up the leadership permanently. */
  resign(): void {
    this.#isLeaving = true;
    this.stepDown();
  }

  /** Gives up the leadership. The worker may become the leader again. */
  stepDown(): void {
    for (const end of this.#ends) end();
    this.#ends.clear();
  }

  #count(change: number): void {
    const wasLeader = this.isLeader;
    this.#holdCount += change;
    if (wasLeader !== this.isLeader && !this.#isLeaving) this.onChange(this.isLeader);
  }
}

/** The activity that makes this worker the poll leader for as long as the attempt lasts. */
export async function holdPollLeadership(pollLeader: PollLeader): Promise<never> {
  const { cancellationSignal } = Context.current();
  await withHeartbeats(() => pollLeader.lead(cancellationSignal), undefined, heartbeatMs);
  cancellationSignal.throwIfAborted();
  throw handOverFailure();
}
