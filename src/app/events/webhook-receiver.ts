// Starts the webhook receiver, which forwards wake-ups to workers and events to the pipelines that they start.

import type { Readiness } from '../../receiver/readiness.ts';
import type { Secrets } from '../../receiver/secrets.ts';
import { healthPath, type RunReceiver, startReceiver, wakeUpsPath } from '../../receiver/server.ts';
import { WakeUpStream } from '../../receiver/wake-up-stream.ts';
import { wakeUpToken } from '../../receiver/wake-up-token.ts';
import { type NotificationOutcome, WebhookHandler } from '../../receiver/webhook-handler.ts';
import type { EventDispatcher } from './event-dispatcher.ts';

export interface WebhookReceiverOptions {
  host: string;
  /** Port to listen on. With 0, a free port is chosen. */
  port: number;
  path: string;
  apiKey: string;
  secrets: Secrets;
  pipelines: Pick<EventDispatcher, 'deliver'>;
  /** Called from time to time with warnings about rejected notifications. */
  warn: (message: string) => void;
  /** Tells whether events that start runs can be delivered. If absent, `/health` never reports a problem. */
  readiness?: Readiness;
  /** Starts runs for other programs. If absent, no runs are started. */
  runs?: RunReceiver | undefined;
  /** The platform's clock in epoch ms, to compare with the send times of notifications. */
  now: () => number;
}

export interface RunningWebhookReceiver {
  /** URL for the platform's notifications. */
  url: string;
  wakeUpsUrl: string;
  healthUrl: string;
  counts: Readonly<Record<NotificationOutcome, number>>;
  /** Resolves once all pending requests have been answered. */
  stop(): Promise<void>;
}

/** Starts the receiver. Rejects if the port is in use. */
export async function startWebhookReceiver(
  options: WebhookReceiverOptions,
): Promise<RunningWebhookReceiver> {
  const { path, apiKey, secrets, pipelines, warn, readiness, now } = options;
  const wakeUpStream = new WakeUpStream();
  const handler = new WebhookHandler({
    wakeUpStream,
    secrets: () => secrets.valid,
    onWrongSignature: () => secrets.refreshIfDue(),
    onTrouble: warn,
    persist: (event) => pipelines.deliver(event),
    now,
  });
  const token = wakeUpToken(apiKey);
  const findProblem = () => readiness?.problem ?? null;
  const receiver = await startReceiver({ ...options, handler, wakeUpStream, token, findProblem });
  const { origin } = receiver;
  return {
    url: `${origin}${path}`,
    wakeUpsUrl: `${origin}${wakeUpsPath}`,
    healthUrl: `${origin}${healthPath}`,
    counts: handler.counts,
    stop: () => receiver.stop(),
  };
}
