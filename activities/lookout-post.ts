// Whether this worker is the poll leader of its task queue.
import { whenAborted } from '../src/api/abort.ts';

export class LookoutPost {
  /** Called on every change until the worker stops; at first the worker is not the leader. */
  onChange: (isOurs: boolean) => void = () => {};
  #holds = 0;
  #isLeaving = false;
  readonly #ends = new Set<() => void>();

  get isOurs(): boolean {
    return this.#holds > 0;
  }

  /** The worker is the leader until the signal aborts or the worker stops. */
  async hold(signal: AbortSignal): Promise<void> {
    if (this.#isLeaving || signal.aborted) return;
    this.#count(1);
    try {
      await new Promise<void>((resolve) => {
        this.#ends.add(resolve);
        whenAborted(signal, resolve);
      });
    } finally {
      this.#count(-1);
    }
  }

  /** Gives the leadership up for good. */
  leave(): void {
    this.#isLeaving = true;
    this.stepAside();
  }

  /** Gives the leadership up; the worker may get the leadership again. */
  stepAside(): void {
    for (const end of this.#ends) end();
    this.#ends.clear();
  }

  #count(by: number): void {
    const before = this.isOurs;
    this.#holds += by;
    if (before !== this.isOurs && !this.#isLeaving) this.onChange(this.isOurs);
  }
}
