// The wake-ups of a receiver for waiting workers: a long poll over a bounded list in memory. The list is not durable,
// because a lost wake-up only delays a wait until its next poll.
import { randomUUID } from 'node:crypto';

export interface WakeUpPage {
  /** Cursor for the next request: the position of the reader, and the receiver process that issued the position. */
  cursor: string;
  wakeUps: string[];
}

/** Number of wake-ups that are kept for late readers. A reader that is further behind misses the older wake-ups. */
const maxKeptWakeUps = 10_000;
/** Wake-ups within this time are sent together. */
const batchWindowMs = 25;

export class WakeUpStream {
  readonly #epoch = randomUUID();
  #wakeUps: string[] = [];
  /** Position of the first wake-up that is still kept. */
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #readers = new Set<() => void>();

  add(wakeUps: readonly string[]): void {
    if (wakeUps.length === 0) return;
    this.#wakeUps.push(...wakeUps);
    const surplus = this.#wakeUps.length - maxKeptWakeUps;
    if (surplus > 0) {
      this.#wakeUps = this.#wakeUps.slice(surplus);
      this.#first += surplus;
    }
    this.#timer ??= setTimeout(() => this.#wakeReaders(), batchWindowMs);
  }

  /**
   * Returns the wake-ups after the cursor: at once if any exist, otherwise when one arrives or after `waitMs`.
   * @param cursor if null or from another receiver process, the page contains only the cursor of the list's end
   */
  async read(cursor: string | null, waitMs: number, stop: AbortSignal): Promise<WakeUpPage> {
    const position = this.#positionOf(cursor);
    if (position !== null && position >= this.#end) await this.#waitForWakeUps(waitMs, stop);
    const start = Math.max(position ?? this.#end, this.#first);
    return {
      cursor: `${this.#epoch}.${this.#end}`,
      wakeUps: this.#wakeUps.slice(start - this.#first),
    };
  }

  get #end(): number {
    return this.#first + this.#wakeUps.length;
  }

  #positionOf(cursor: string | null): number | null {
    const [epoch, number = ''] = cursor?.split('.') ?? [];
    return epoch === this.#epoch && /^\d{1,15}$/.test(number) ? Number(number) : null;
  }

  /** Ends the wait of every reader. */
  close(): void {
    this.#wakeReaders();
  }

  get readers(): number {
    return this.#readers.size;
  }

  #wakeReaders(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const wake of this.#readers) wake();
    this.#readers.clear();
  }

  #waitForWakeUps(waitMs: number, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (stop.aborted) return resolve();
      const end = () => {
        clearTimeout(timer);
        stop.removeEventListener('abort', end);
        this.#readers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      stop.addEventListener('abort', end, { once: true });
      this.#readers.add(end);
    });
  }
}
