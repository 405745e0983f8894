// Takes in one notification: verifies it, refuses repetitions, hands it on and counts it.
import { createHash } from 'node:crypto';
import { Seen, type SeenOptions } from '../plan/seen.ts';
import { toldReceived } from '../telemetry/told.ts';
import {
  aheadCause,
  DeliveryTroubles,
  pathCause,
  signatureCause,
  unsignedCause,
} from './delivery-troubles.ts';
import { hintOf, type PlatformEvent, readEvent } from './event.ts';
import type { HintFeed } from './hint-feed.ts';
import { isSigned } from './signature.ts';

/** By what became of it. */
export type Verdict =
  | 'accepted'
  | 'repeated'
  | 'stale'
  | 'refused'
  | 'misdirected'
  | 'unreadable'
  | 'unknown'
  | 'failed';
type Counts = Record<Verdict, number>;

export interface IntakeOptions {
  feed: HintFeed;
  /** Now valid; asked for each notification, since secrets change. */
  secrets: () => readonly string[];
  /** A well-formed signature that no secret made: perhaps the secret has changed. */
  onWrongSignature?: () => void;
  /** Told now and then of notifications that are not taken, with the likely cause. */
  onTrouble?: (message: string) => void;
  /** Makes the event durable where somebody waits for it; settles when it is. */
  keep?: (event: PlatformEvent) => Promise<void>;
  now: () => number;
  seen?: SeenOptions;
}

/** The platform tries again for a while, nobody knows how long (platform.md, section 6). */
export const rememberedSeen = { most: 100_000, freshForMs: 24 * 3_600_000 };
/** How far the clocks of platform and receiver may be apart. What lies further ahead would be news for longer than a day. */
export const clocksApartMs = 5 * 60_000;

export class Intake {
  readonly counts: Counts = {
    accepted: 0,
    repeated: 0,
    stale: 0,
    refused: 0,
    misdirected: 0,
    unreadable: 0,
    unknown: 0,
    failed: 0,
  };
  /** What was not taken, by the likely cause. */
  readonly troubles: DeliveryTroubles;
  /** When a notification was last taken, epoch ms; null: none was. */
  takenAtMs: number | null = null;
  readonly #options: IntakeOptions;
  readonly #now: () => number;
  readonly #seen: Seen;
  /** Being kept: a repetition hears how that goes. */
  readonly #keeping = new Map<string, Promise<void>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#now = options.now;
    this.troubles = new DeliveryTroubles(options.onTrouble ?? (() => undefined), this.#now);
    this.#seen = new Seen(options.seen ?? rememberedSeen);
  }

  /** Counts a request that was refused before its body was read: it has no signature. */
  refuse(): Verdict {
    this.troubles.add('unsigned', () => unsignedCause);
    return this.#count('refused');
  }

  /** Counts a notification that came at a path of nobody. */
  misdirect(came: string, path: string): Verdict {
    this.troubles.add('misdirected', () => pathCause(came, path));
    return this.#count('misdirected');
  }

  async take(body: Uint8Array, signature: string): Promise<Verdict> {
    const { secrets, feed, onWrongSignature, keep } = this.#options;
    const valid = secrets();
    if (!isSigned(body, signature, valid)) {
      onWrongSignature?.();
      this.troubles.add('wrongSignature', () => signatureCause(body, signature, valid));
      // Before any secret is known nothing is forged: the platform is to send it again.
      return this.#count(valid.length === 0 ? 'failed' : 'refused');
    }
    const event = readEvent(body);
    if (event === null) return this.#count('unreadable');
    if (event === 'unknown') return this.#count('unknown');
    // Nothing signed tells a repetition from a replay, so equal bytes are one event.
    const id = createHash('sha256').update(body).digest('base64');
    const happenedMs = Date.parse(event.at);
    const atMs = Number.isNaN(happenedMs) ? null : happenedMs;
    if (atMs !== null && atMs > this.#now() + clocksApartMs) {
      this.troubles.add('ahead', () => aheadCause(atMs, this.#now()));
      return this.#count('stale');
    }
    const judged = this.#seen.judge(id, atMs, this.#now());
    if (judged !== 'new') return this.#count(judged);
    const underWay = this.#keeping.get(id);
    if (underWay) return this.#kept(underWay, 'repeated');
    const hint = hintOf(event);
    if (hint !== null) feed.add([hint]);
    const keeping = Promise.resolve(keep?.(event))
      // Only what is kept has been seen: after a failure the sender tries again.
      .then(() => this.#seen.add(id, atMs, this.#now()))
      .finally(() => this.#keeping.delete(id));
    this.#keeping.set(id, keeping);
    return this.#kept(keeping, 'accepted');
  }

  async #kept(keeping: Promise<void>, verdict: Verdict): Promise<Verdict> {
    return this.#count(await keeping.then(() => verdict).catch((): Verdict => 'failed'));
  }

  #count(verdict: Verdict): Verdict {
    this.counts[verdict] += 1;
    if (verdict === 'accepted') this.takenAtMs = this.#now();
    toldReceived.tell(verdict);
    return verdict;
  }
}
