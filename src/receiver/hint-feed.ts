// The hints of a receiver for whoever waits: a long poll over a bounded list. Nothing here is durable, and
// nothing needs to be: a hint that is lost costs a wait until its next look.
import { randomUUID } from 'node:crypto';

export interface HintPage {
  /** Cursor for the next request: the position of this reader, and the receiver process that it belongs to. */
  cursor: string;
  hints: string[];
}

/** Hints that stay for readers that come late; whoever is further behind looks by itself. */
const kept = 10_000;
/** Hints that come together go out together. */
const gatherMs = 25;

export class HintFeed {
  readonly #epoch = randomUUID();
  #hints: string[] = [];
  /** Number of the first hint that is still there. */
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
   * Hints after this cursor, at once when there are some, else as soon as there are or when the time is up.
   * @param cursor null, or of another process: none yet, only where the list ends now.
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

  /** Lets every reader go. */
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
