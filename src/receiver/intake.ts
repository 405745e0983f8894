// Handles a notification: verifies the signature, drops repetitions, passes the event on and counts the verdict.
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

/** The result of handling a notification. */
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
  /** The currently valid secrets; called for each notification, because secrets change. */
  secrets: () => readonly string[];
  /** Called for a well-formed signature that no secret produces, because the secret may have changed. */
  onWrongSignature?: () => void;
  /** Called at intervals with rejected notifications and their likely cause. */
  onTrouble?: (message: string) => void;
  /** Makes the event durable if a pipeline waits for it; settles when it is durable. */
  keep?: (event: PlatformEvent) => Promise<void>;
  now: () => number;
  seen?: SeenOptions;
}

/** How many notifications are remembered, and for how long. The platform retries for an undocumented time. */
export const rememberedSeen = { most: 100_000, freshForMs: 24 * 3_600_000 };
/**
 * Allowed difference between the clocks of platform and receiver. A notification further in the future would be accepted
 * again after it was forgotten.
 */
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
  /** Rejected notifications by their likely cause. */
  readonly troubles: DeliveryTroubles;
  /** When a notification was last accepted, epoch ms; null if none was. */
  takenAtMs: number | null = null;
  readonly #options: IntakeOptions;
  readonly #now: () => number;
  readonly #seen: Seen;
  /** Notifications that are being made durable. A repetition gets the same result. */
  readonly #keeping = new Map<string, Promise<void>>();

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#now = options.now;
    this.troubles = new DeliveryTroubles(options.onTrouble ?? (() => undefined), this.#now);
    this.#seen = new Seen(options.seen ?? rememberedSeen);
  }

  /** Counts a request without a signature, which is refused before its body is read. */
  refuse(): Verdict {
    this.troubles.add('unsigned', () => unsignedCause);
    return this.#count('refused');
  }

  /** Counts a notification that arrived at another path than the receiver's. */
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
      // Without a known secret the signature cannot be checked, so the platform should send the notification again.
      return this.#count(valid.length === 0 ? 'failed' : 'refused');
    }
    const event = readEvent(body);
    if (event === null) return this.#count('unreadable');
    if (event === 'unknown') return this.#count('unknown');
    // The signed bytes have no unique id, so equal bytes count as the same notification.
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
      // Remembered only when durable, so that the platform's retry after a failure is accepted.
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
