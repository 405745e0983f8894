// The wake-ups of a receiver for waiting workers: a long poll over a bounded list in memory. Nothing needs to be durable,
// because a lost wake-up only delays a wait until its next poll.
import { randomUUID } from 'node:crypto';

export interface HintPage {
  /** Cursor for the next request: the position of the reader, and the receiver process that the position belongs to. */
  cursor: string;
  hints: string[];
}

/** Number of wake-ups that are kept for late readers. A reader that is further behind polls the platform itself. */
const kept = 10_000;
/** Wake-ups within this time are sent together. */
const gatherMs = 25;

export class HintFeed {
  readonly #epoch = randomUUID();
  #hints: string[] = [];
  /** Position of the first wake-up that is still kept. */
  #first = 0;
  #timer: NodeJS.Timeout | undefined;
  readonly #readers = new Set<() => void>();

  add(hints: readonly string[]): void {
    if (hints.length === 0) return;
    this.#hints.push(...hints);
    const surplus = this.#hints.length - kept;
    if (surplus > 0) {
      this.#hints = this.#hints.slice(surplus);
      this.#first += surplus;
    }
    this.#timer ??= setTimeout(() => this.#tell(), gatherMs);
  }

  /**
   * Returns the wake-ups after the cursor: at once if there are some, else when one arrives or after `waitMs`.
   * @param cursor null, or from another process: returns no wake-ups, only the current end of the list
   */
  async read(cursor: string | null, waitMs: number, stop: AbortSignal): Promise<HintPage> {
    const after = this.#numberOf(cursor);
    if (after !== null && after >= this.#end) await this.#news(waitMs, stop);
    const from = Math.max(after ?? this.#end, this.#first);
    return { cursor: `${this.#epoch}.${this.#end}`, hints: this.#hints.slice(from - this.#first) };
  }

  get #end(): number {
    return this.#first + this.#hints.length;
  }

  #numberOf(cursor: string | null): number | null {
    const [epoch, number = ''] = cursor?.split('.') ?? [];
    return epoch === this.#epoch && /^\d{1,15}$/.test(number) ? Number(number) : null;
  }

  /** Ends the wait of every reader. */
  close(): void {
    this.#tell();
  }

  get readers(): number {
    return this.#readers.size;
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const tell of this.#readers) tell();
    this.#readers.clear();
  }

  #news(waitMs: number, stop: AbortSignal): Promise<void> {
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
