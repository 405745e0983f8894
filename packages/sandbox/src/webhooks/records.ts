// The facts of the workspace's webhook. Deliveries are not kept: they end with the process.
import type { WebhookEvent } from 'renderline/api/operations/webhooks';

export interface WebhookRecord {
  readonly id: string;
  readonly url: string;
  /** Kept over every change of the configuration. */
  readonly secret: string;
  readonly events: readonly WebhookEvent[];
  readonly enabled: boolean;
  readonly description: string;
  /** Scheme, host and port that links inside events are made from: where it was set up. */
  readonly origin: string;
  /** Epoch milliseconds of the latest attempt. */
  readonly lastTriggeredAt?: number;
  /** Events given up in a row. */
  readonly failureCount: number;
}
