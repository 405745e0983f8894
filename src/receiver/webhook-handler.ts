// Handles a notification: verifies the signature, drops repetitions, passes the event on and counts the verdict.
import { createHash } from 'node:crypto';
import { type DeduplicatorOptions, EventDeduplicator } from '../plan/run/event-deduplicator.ts';
import { notificationEvents } from '../telemetry/events.ts';
import { type PlatformEvent, parseEvent, toWakeUp } from './event.ts';
import {
  explainAheadTime,
  explainPath,
  explainSignature,
  NotificationProblems,
  unsignedCause,
} from './notification-problems.ts';
import type { Secrets } from './secrets.ts';
import { hasValidSignature } from './signature.ts';
import type { WakeUpStream } from './wake-up-stream.ts';

/** The result of handling a notification. */
export type NotificationOutcome = keyof WebhookHandler['counts'];

export interface WebhookHandlerOptions {
  wakeUpStream: WakeUpStream;
  /** Secrets of the webhook. They are read again after a wrong signature, because the secret may have changed. */
  secrets: Pick<Secrets, 'valid' | 'refreshIfDue'>;
  /** Called at intervals with rejected notifications and their likely cause. */
  onTrouble?: (message: string) => void;
  /** Makes the event durable if a pipeline waits for it. Settles once the event is durable. */
  persist?: (event: PlatformEvent) => Promise<void>;
  now: () => number;
  seen?: DeduplicatorOptions;
}

/** How many notifications are remembered, and for how long. The platform does not document how long it retries. */
export const deduplicationWindow = { max: 100_000, freshForMs: 24 * 3_600_000 };
/**
 * Maximum difference between the clocks of the platform and the receiver. A notification with a later time is rejected,
 * because a repetition would still be accepted after the original was forgotten.
 */
export const maxClockSkewMs = 5 * 60_000;

export class WebhookHandler {
  readonly counts = {
    accepted: 0,
    repeated: 0,
    stale: 0,
    refused: 0,
    misdirected: 0,
    unreadable: 0,
    unknown: 0,
    failed: 0,
  };
  readonly troubles: NotificationProblems;
  /** Time when a notification was last accepted, epoch ms. Null if none was accepted. */
  acceptedAtMs: number | null = null;
  readonly #options: WebhookHandlerOptions;
  readonly #deduplicator: EventDeduplicator;
  /** Notifications that are being stored, by hash. A duplicate waits for the same result. */
  readonly #writesById = new Map<string, Promise<void>>();

  constructor(options: WebhookHandlerOptions) {
    this.#options = options;
    const { onTrouble = () => undefined, seen = deduplicationWindow, now } = options;
    this.troubles = new NotificationProblems(onTrouble, now);
    this.#deduplicator = new EventDeduplicator(seen);
  }

  /** Counts a request without a signature, which is refused before its body is read. */
  countRefused(): NotificationOutcome {
    this.troubles.add('unsigned', () => unsignedCause);
    return this.#count('refused');
  }

  /** Counts a notification that arrived at a path other than the receiver's. */
  countMisdirected(came: string, path: string): NotificationOutcome {
    this.troubles.add('misdirected', () => explainPath(came, path));
    return this.#count('misdirected');
  }

  async handle(body: Uint8Array, signature: string): Promise<NotificationOutcome> {
    const { secrets, wakeUpStream, persist } = this.#options;
    const { valid } = secrets;
    if (!hasValidSignature(body, signature, valid)) {
      secrets.refreshIfDue();
      this.troubles.add('wrongSignature', () => explainSignature(body, signature, valid));
      // Without a known secret the signature cannot be checked, so the platform should send the notification again.
      return this.#count(valid.length === 0 ? 'failed' : 'refused');
    }
    const event = parseEvent(body);
    if (event === null) return this.#count('unreadable');
    if (event === 'unknown') return this.#count('unknown');
    // The signed bytes have no unique id, so equal bytes count as the same notification.
    const id = createHash('sha256').update(body).digest('base64');
    const happenedAtMs = Date.parse(event.at);
    const atMs = Number.isNaN(happenedAtMs) ? null : happenedAtMs;
    if (atMs !== null && atMs > this.#options.now() + maxClockSkewMs) {
      this.troubles.add('ahead', () => explainAheadTime(atMs, this.#options.now()));
      return this.#count('stale');
    }
    const repetition = this.#deduplicator.classify(id, atMs, this.#options.now());
    if (repetition !== 'new') return this.#count(repetition);
    const openWrite = this.#writesById.get(id);
    if (openWrite) return this.#countWhenPersisted(openWrite, 'repeated');
    const wakeUp = toWakeUp(event);
    if (wakeUp !== null) wakeUpStream.add([wakeUp]);
    const write = Promise.resolve(persist?.(event))
      // A notification is remembered only once it is durable, so that the platform's retry after a failure is accepted.
      .then(() => this.#deduplicator.add(id, atMs, this.#options.now()))
      .finally(() => this.#writesById.delete(id));
    this.#writesById.set(id, write);
    return this.#countWhenPersisted(write, 'accepted');
  }

  async #countWhenPersisted(
    write: Promise<void>,
    verdict: NotificationOutcome,
  ): Promise<NotificationOutcome> {
    return this.#count(await write.then(() => verdict).catch((): NotificationOutcome => 'failed'));
  }

  #count(verdict: NotificationOutcome): NotificationOutcome {
    this.counts[verdict] += 1;
    if (verdict === 'accepted') this.acceptedAtMs = this.#options.now();
    notificationEvents.emit(verdict);
    return verdict;
  }
}
