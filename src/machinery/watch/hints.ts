// Things that have ended by verified notifications, for the waits of this worker. A hint makes a look happen now
// and says nothing more: the look decides.
import { monotonicMs } from '../../api/clock.ts';
import { HintTrust } from './hint-trust.ts';

/** Kinds of hints; a hint is its kind, a slash and an id. */
export type HintKind = 'model' | 'render';

/** Held waits are woken this often at most, however many hints come: each time may cost a request. */
export const wakeEveryMs = 240;
/** Hints are remembered for so long, since their wait may be on the way, or ask if there was one. */
const keptMs = 120_000;
const keptAtMost = 20_000;
/** Waits held at once; a held wait takes a slot of the worker, which calls need too. */
const heldAtMost = 50;

interface Heard {
  atMs: number;
  /** No look at it has begun since. */
  isNew: boolean;
}

export class Hints {
  readonly #now: () => number;
  readonly #heard = new Map<string, Heard>();
  readonly #trust = { model: new HintTrust(), render: new HintTrust() };
  readonly #held = new Set<() => void>();
  /** True while a receiver is there to send hints; waits are held only then. */
  listening = false;
  /** False where a held wait would hold up the time itself. */
  holds = true;
  #closed = false;
  #wokenAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** True while notifications seem to tell of every end, so looks without a hint may be rare. */
  relied(kind: HintKind): boolean {
    return this.listening && this.#trust[kind].holds(this.#now());
  }

  hear(hints: readonly string[]): void {
    if (hints.length === 0 || this.#closed) return;
    const atMs = this.#now();
    for (const hint of hints) {
      // Heard last stands last, so the oldest are the first.
      this.#heard.delete(hint);
      this.#heard.set(hint, { atMs, isNew: true });
      this.#trustOf(hint).heard(hint);
    }
    this.#forget(atMs);
    this.wakeSoon();
  }

  /** Wakes the held waits, once the least time since they were woken has passed. */
  wakeSoon(): void {
    const waitMs = Math.max(0, this.#wokenAtMs + wakeEveryMs - this.#now());
    this.#timer ??= setTimeout(() => this.#wake(), waitMs);
  }

  /** Has it been hinted at since it was last looked at? */
  has(hint: string): boolean {
    return this.#heard.get(hint)?.isNew === true;
  }

  /** A look begins now, which answers earlier hints. */
  take(hint: string): void {
    const heard = this.#heard.get(hint);
    if (!heard?.isNew) return;
    heard.isNew = false;
    this.#trustOf(hint).useful();
  }

  /** A look found that it has ended. */
  seen(hint: string): void {
    if (this.listening && !this.#heard.has(hint)) this.#trustOf(hint).found(hint, this.#now());
  }

  /**
   * Holds a wait until there is news or the time is up. false: it cannot be held, because nobody tells, too
   * many are held or the worker stops.
   */
  async hold(forMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.listening || !this.holds || this.#closed || signal.aborted) return false;
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

  /** Holds waits again. */
  open(): void {
    this.#closed = false;
  }

  #trustOf(hint: string): HintTrust {
    return hint.startsWith('model/') ? this.#trust.model : this.#trust.render;
  }

  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wokenAtMs = this.#now();
    for (const wake of this.#held) wake();
  }

  #forget(nowMs: number): void {
    for (const [hint, { atMs }] of this.#heard) {
      if (nowMs - atMs < keptMs && this.#heard.size <= keptAtMost) return;
      this.#heard.delete(hint);
    }
  }
}
