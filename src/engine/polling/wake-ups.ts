// Wake-ups from verified notifications, for the waits of this worker. A wake-up only causes an early poll, which then
// decides whether the item is finished.
import { callOnAbort } from '../../api/abort.ts';
import { readMonotonicMs } from '../../api/clock.ts';
import { wakeIntervalMs } from './poll-policy.ts';

/** Kinds of wake-ups. A wake-up is a string: its kind, a slash and an id. */
export type WakeUpKind = 'model' | 'render';

/** A wake-up is remembered for this long, because the wait for its item may start after the wake-up has arrived. */
const retentionMs = 120_000;
const maxKept = 20_000;
/** Maximum number of waits held at once. A held wait occupies an activity slot of the worker that calls also need. */
const maxHeld = 50;

/** How long a notification may still take to arrive after a poll has found its item finished. */
const notificationGraceMs = 2_000;

/**
 * Whether notifications of one kind are reliable. A missing notification makes them unreliable until another
 * notification causes a poll.
 */
interface NotificationHealth {
  isHealthy: boolean;
  /** Finished items that no notification has announced yet, with the time at which a poll found them. Oldest first. */
  unannouncedSinceMs: Map<string, number>;
}

export class WakeUps {
  readonly #now: () => number;
  /** When each wake-up arrived, and whether no poll of its item has started since then. Oldest first. */
  readonly #received = new Map<string, { atMs: number; isUnhandled: boolean }>();
  readonly #health: Record<WakeUpKind, NotificationHealth> = {
    model: { isHealthy: true, unannouncedSinceMs: new Map() },
    render: { isHealthy: true, unannouncedSinceMs: new Map() },
  };
  readonly #heldWaits = new Set<() => void>();
  /** True while a receiver that sends wake-ups is connected. Otherwise, no wait is held open. */
  isListening = false;
  /** False in tests with skipped time, where a held wait would stop the clock. */
  canHoldWaits = true;
  #isClosed = false;
  #wokenAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(now: () => number = readMonotonicMs) {
    this.#now = now;
  }

  /** True while every finished item seems to be announced, so that polls without a wake-up may be rare. */
  isReliable(kind: WakeUpKind): boolean {
    if (!this.isListening) return false;
    const health = this.#health[kind];
    for (const [wakeUp, sinceMs] of health.unannouncedSinceMs) {
      if (this.#now() - sinceMs < notificationGraceMs) break;
      health.unannouncedSinceMs.delete(wakeUp);
      health.isHealthy = false;
    }
    return health.isHealthy;
  }

  receive(wakeUps: readonly string[]): void {
    if (wakeUps.length === 0 || this.#isClosed) return;
    const atMs = this.#now();
    for (const wakeUp of wakeUps) {
      // The entry is deleted first, so that the map stays in order of arrival.
      this.#received.delete(wakeUp);
      this.#received.set(wakeUp, { atMs, isUnhandled: true });
      this.#healthOf(wakeUp).unannouncedSinceMs.delete(wakeUp);
    }
    this.#forget(atMs);
    this.wakeWaitsSoon();
  }

  /** Wakes the held waits, but no sooner than `wakeIntervalMs` after the last time. */
  wakeWaitsSoon(): void {
    const waitMs = Math.max(0, this.#wokenAtMs + wakeIntervalMs - this.#now());
    this.#timer ??= setTimeout(() => this.#wake(), waitMs);
  }

  /** True if the wake-up arrived after the last poll of its item started. */
  has(wakeUp: string): boolean {
    return this.#received.get(wakeUp)?.isUnhandled === true;
  }

  /** Marks the item's wake-up as handled, because a poll of the item starts now. */
  consume(wakeUp: string): void {
    const receivedWakeUp = this.#received.get(wakeUp);
    if (!receivedWakeUp?.isUnhandled) return;
    receivedWakeUp.isUnhandled = false;
    this.#healthOf(wakeUp).isHealthy = true;
  }

  /** Records that a poll found the item finished, in order to detect a missing notification. */
  recordFinished(wakeUp: string): void {
    if (this.isListening && !this.#received.has(wakeUp))
      this.#healthOf(wakeUp).unannouncedSinceMs.set(wakeUp, this.#now());
  }

  /**
   * Holds a wait until a wake-up arrives, `forMs` have passed, or the signal is aborted. Returns false if it cannot be
   * held because no receiver is connected, too many are held, the signal is aborted or the worker is stopping.
   */
  async holdWait(forMs: number, signal: AbortSignal): Promise<boolean> {
    if (!this.isListening || !this.canHoldWaits || this.#isClosed || signal.aborted) return false;
    if (this.#heldWaits.size >= maxHeld) return false;
    await new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer);
        stopListening();
        this.#heldWaits.delete(end);
        resolve();
      };
      const timer = setTimeout(end, forMs);
      const stopListening = callOnAbort(signal, end);
      this.#heldWaits.add(end);
    });
    return !this.#isClosed;
  }

  /** Releases all held waits and holds no more, because the worker is stopping. */
  close(): void {
    this.#isClosed = true;
    this.#wake();
  }

  /** Allows waits to be held again. */
  open(): void {
    this.#isClosed = false;
  }

  #healthOf(wakeUp: string): NotificationHealth {
    return wakeUp.startsWith('model/') ? this.#health.model : this.#health.render;
  }

  #wake(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#wokenAtMs = this.#now();
    for (const wake of this.#heldWaits) wake();
  }

  #forget(nowMs: number): void {
    for (const [wakeUp, { atMs }] of this.#received) {
      if (nowMs - atMs < retentionMs && this.#received.size <= maxKept) return;
      this.#received.delete(wakeUp);
    }
  }
}
