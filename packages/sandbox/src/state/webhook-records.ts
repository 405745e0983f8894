// Stored facts of the workspace's webhook. Deliveries are not stored, because they end with the process.
import type { WebhookEvent } from 'renderline/api/operations/webhooks';

export interface WebhookRecord {
  readonly id: string;
  readonly url: string;
  /** Survives every change of the configuration. */
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
  readonly description: string;
  /** Base of the links in events: scheme, host and port of the request that last set the webhook. */
  readonly origin: string;
  /** Time of the latest attempt, in epoch milliseconds. */
  readonly lastTriggeredAt?: number;
  /** Number of consecutive undelivered events. */
  readonly failureCount: number;
}
