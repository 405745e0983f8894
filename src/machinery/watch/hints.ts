// Wake-ups from verified notifications, for the waits of this worker. A wake-up only makes a poll happen now; the poll
// decides whether the item is finished.
import { monotonicMs } from '../../api/clock.ts';
import { HintTrust } from './hint-trust.ts';

/** Kinds of wake-ups. A wake-up is a string: its kind, a slash and an id. */
export type HintKind = 'model' | 'render';

/** Minimum time between two times that held waits are woken, since each time may cost a request. */
export const wakeEveryMs = 240;
/** How long a wake-up is remembered: the wait that it is for may start later. */
const keptMs = 120_000;
const keptAtMost = 20_000;
/** Maximum number of waits held at once. A held wait occupies an activity slot of the worker, which calls need too. */
const heldAtMost = 50;

interface Heard {
  atMs: number;
  /** No poll of the item has started since the wake-up arrived. */
  isNew: boolean;
}

export class Hints {
  readonly #now: () => number;
  readonly #heard = new Map<string, Heard>();
  readonly #trust = { model: new HintTrust(), render: new HintTrust() };
  readonly #held = new Set<() => void>();
  /** True while a receiver sends wake-ups. Waits are held only then. */
  listening = false;
  /** False in tests with skipped time: a held wait would stop the clock. */
  holds = true;
  #closed = false;
  #wokenAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = monotonicMs) {
    this.#now = now;
  }

  /** True while every finished item seems to be announced, so polls without a wake-up may be rare. */
  relied(kind: HintKind): boolean {
    return this.listening && this.#trust[kind].holds(this.#now());
  }

  hear(hints: readonly string[]): void {
    if (hints.length === 0 || this.#closed) return;
    const atMs = this.#now();
    for (const hint of hints) {
      // Deleted first, so that the map stays in order of arrival.
      this.#heard.delete(hint);
      this.#heard.set(hint, { atMs, isNew: true });
      this.#trustOf(hint).heard(hint);
    }
    this.#forget(atMs);
    this.wakeSoon();
  }

  /** Wakes the held waits, not sooner than `wakeIntervalMs` after the last time. */
  wakeSoon(): void {
    const waitMs = Math.max(0, this.#wokenAtMs + wakeEveryMs - this.#now());
    this.#timer ??= setTimeout(() => this.#wake(), waitMs);
  }

  /** True if the wake-up arrived after the last poll of its item started. */
  has(hint: string): boolean {
    return this.#heard.get(hint)?.isNew === true;
  }

  /** A poll of the item starts now, so earlier wake-ups are done. */
  take(hint: string): void {
    const heard = this.#heard.get(hint);
    if (!heard?.isNew) return;
    heard.isNew = false;
    this.#trustOf(hint).useful();
  }

  /** A poll found the item finished. */
  seen(hint: string): void {
    if (this.listening && !this.#heard.has(hint)) this.#trustOf(hint).found(hint, this.#now());
  }

  /**
   * Holds a wait until a wake-up arrives or `forMs` have passed. Returns false if the wait cannot be held: no receiver
   * is connected, too many waits are held, or the worker stops.
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

  /** Releases all held waits and holds no more, because the worker stops. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  /** Allows waits to be held again. */
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
