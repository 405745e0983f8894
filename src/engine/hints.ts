// What verified notifications say has ended, for the waits of this worker. A hint makes a look happen now
// and says nothing more: what the look sees is the truth.

/** Held waits are woken this often at most, however many hints come. */
export const wakeEveryMs = 200;
/** Hints for what nobody waits for yet are kept for so long: it may be on its way. */
const keptMs = 120_000;
const keptAtMost = 20_000;
/** Looks may be rare while the last useful hint is no older. */
const flowingMs = 15_000;
/** Waits held at once; a held wait takes a slot of the worker, which calls need too. */
const heldAtMost = 50;

export class Hints {
  readonly #now: () => number;
  readonly #heardAtMs = new Map<string, number>();
  readonly #held = new Set<() => void>();
  /** Somebody is there who would tell; waits are held only then. */
  listening = false;
  #closed = false;
  #usefulAtMs = Number.NEGATIVE_INFINITY;
  #wokenAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Hints have come lately for what is waited for here, so looks without a hint may be rare. */
  get flowing(): boolean {
    return this.listening && this.#now() - this.#usefulAtMs < flowingMs;
  }

  hear(hints: readonly string[]): void {
    if (hints.length === 0 || this.#closed) return;
    const nowMs = this.#now();
    for (const hint of hints) this.#heardAtMs.set(hint, nowMs);
    this.#forget(nowMs);
    this.wakeSoon();
  }

  /** Wakes the held waits, once the least time since they were woken has passed. */
  wakeSoon(): void {
    const waitMs = Math.max(0, this.#wokenAtMs + wakeEveryMs - this.#now());
    this.#timer ??= setTimeout(() => this.#wake(), waitMs);
  }

  /** Has it been hinted at since it was last looked at? */
  has(hint: string): boolean {
    return this.#heardAtMs.has(hint);
  }

  /** A look at it begins now, so what was said before is answered by it. */
  take(hint: string): void {
    if (this.#heardAtMs.delete(hint)) this.#usefulAtMs = this.#now();
  }

  /**
   * Holds a wait until there is news or the time is up. false: it cannot be held, because nobody tells, too
   * many are held or the worker stops.
   */
  async hold(forMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.listening || this.#closed || signal.aborted) return false;
    if (this.#held.size >= heldAtMost) return false;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        this.#held.delete(end);
        resolve();
      };
      const timer = setTimeout(end, forMs);
      signal.addEventListener('abort', end, { once: true });
      this.#held.add(end);
    });
    return !this.#closed;
  }

  /** Lets every held wait go and holds no other: the worker stops. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wokenAtMs = this.#now();
    for (const wake of this.#held) wake();
  }

  #forget(nowMs: number): void {
    for (const [hint, heardAtMs] of this.#heardAtMs) {
      const fresh = nowMs - heardAtMs < keptMs && this.#heardAtMs.size <= keptAtMost;
      // In order of their first hint, so the rest is mostly younger.
      if (fresh) return;
      this.#heardAtMs.delete(hint);
    }
  }
}
