// A receiver on a free local port, and requests signed like the platform's.
import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type ReceiverOptions, startReceiver } from '../../src/receiver/server.ts';
import { WakeUpStream } from '../../src/receiver/wake-up-stream.ts';
import { wakeUpToken } from '../../src/receiver/wake-up-token.ts';
import { WebhookHandler, type WebhookHandlerOptions } from '../../src/receiver/webhook-handler.ts';

export const secret = 'whsec_test';
export const apiKey = 'svc_test_secret';

export async function receiver(
  more: Partial<ReceiverOptions> &
    Partial<
      Pick<
        WebhookHandlerOptions,
        'secrets' | 'onWrongSignature' | 'onTrouble' | 'persist' | 'seen' | 'now'
      >
    > = {},
) {
  const {
    secrets = () => [secret],
    onWrongSignature,
    onTrouble,
    persist: keep,
    seen,
    now = Date.now,
    ...options
  } = more;
  const feed = new WakeUpStream();
  const handler = new WebhookHandler({
    wakeUpStream: feed,
    secrets,
    ...(onWrongSignature ? { onWrongSignature } : {}),
    ...(onTrouble ? { onTrouble } : {}),
    now,
    ...(keep ? { persist: keep } : {}),
    ...(seen ? { seen } : {}),
  });
  const running = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    handler,
    wakeUpStream: feed,
    token: wakeUpToken(apiKey),
    ...options,
  });
  onTestFinished(() => running.stop());
  return { ...running, handler, feed, url: `${running.origin}/webhooks` };
}

export const signatureOf = (body: string | Uint8Array, key = secret) =>
  createHmac('sha256', key).update(body).digest('hex');

/** Posts a notification like the platform. */
export function post(
  url: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-service-signature': signatureOf(body),
      ...headers,
    },
  });
}

export const processed = (modelId: string, timestamp = new Date().toISOString()) =>
  JSON.stringify({ event: 'model.processed', timestamp, data: { modelId, status: 'READY' } });
