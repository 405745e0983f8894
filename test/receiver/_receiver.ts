// A receiver on a free local port, and requests signed like the platform's.
import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { Secrets } from '../../src/receiver/secrets.ts';
import { type ReceiverOptions, startReceiver } from '../../src/receiver/server.ts';

export const secret = 'whsec_test';
export const apiKey = 'svc_test_secret';

export async function receiver(more: Partial<ReceiverOptions> = {}) {
  const running = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    apiKey,
    secrets: new Secrets([secret], { read: null }),
    now: Date.now,
    ...more,
  });
  onTestFinished(() => running.stop());
  const { origin } = new URL(running.url);
  return { ...running, feed: running.wakeUpStream, origin };
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
