// What happens to one notification: verified, read once, handed on, counted.
import { createHash } from 'node:crypto';
import { hintOf, type PlatformEvent, readEvent } from './event.ts';
import type { HintFeed } from './hint-feed.ts';
import { Recent } from './recent.ts';
import { isSigned } from './signature.ts';

/** By what became of it. */
export type Verdict = 'accepted' | 'repeated' | 'refused' | 'unreadable' | 'unknown' | 'failed';
type Counts = Record<Verdict, number>;

export interface IntakeOptions {
  feed: HintFeed;
  /** Now valid; asked for each notification, since secrets change. */
  secrets: () => readonly string[];
  /** A well-formed signature that no secret made: perhaps the secret has changed. */
  onWrongSignature?: () => void;
  /** Makes the event durable where somebody waits for it; settles when it is. */
  keep?: (event: PlatformEvent) => Promise<void>;
  now?: () => number;
}

/** The platform tries again for a while, nobody knows how long (section 6). */
const repeatsForMs = 24 * 3_600_000;
const repeatsKept = 10_000;

export class Intake {
  readonly counts: Counts = {
    accepted: 0,
    repeated: 0,
    refused: 0,
    unreadable: 0,
    unknown: 0,
    failed: 0,
  };
  readonly #options: IntakeOptions;
  readonly #now: () => number;
  readonly #recent = new Recent(repeatsKept, repeatsForMs);

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Counts a request that was refused before its body was read. */
  refuse(): Verdict {
    return this.#count('refused');
  }

  async take(body: Uint8Array, signature: string): Promise<Verdict> {
    const { secrets, feed, onWrongSignature, keep } = this.#options;
    if (!isSigned(body, signature, secrets())) {
      onWrongSignature?.();
      return this.#count('refused');
    }
    const event = readEvent(body);
    if (event === null) return this.#count('unreadable');
    if (event === 'unknown') return this.#count('unknown');
    // Nothing signed tells a repetition from a replay, so equal bytes are one event.
    const id = createHash('sha256').update(body).digest('base64');
    if (this.#recent.has(id, this.#now())) return this.#count('repeated');
    const hint = hintOf(event);
    if (hint !== null) feed.add([hint]);
    try {
      await keep?.(event);
    } catch {
      return this.#count('failed');
    }
    this.#recent.add(id, this.#now());
    return this.#count('accepted');
  }

  #count(verdict: Verdict): Verdict {
    this.counts[verdict] += 1;
    return verdict;
  }
}
