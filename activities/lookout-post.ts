// Is this worker the one that looks for all of its task queue?
import { whenAborted } from '../src/api/abort.ts';

export class LookoutPost {
  /** Told whenever it changes, until the worker leaves; at first it is not ours. */
  onChange: (isOurs: boolean) => void = () => {};
  #holds = 0;
  #isLeaving = false;
  readonly #ends = new Set<() => void>();

  get isOurs(): boolean {
    return this.#holds > 0;
  }

  /** The post is ours until the signal aborts or the worker leaves. */
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

  /** Hands the post on, for good. */
  leave(): void {
    this.#isLeaving = true;
    this.stepAside();
  }

  /** Hands the post on; it may be given back. */
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
