// A receiver on a free port of this machine, and a platform that signs its notifications.
import { createHmac } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { HintFeed } from '../../src/receiver/hint-feed.ts';
import { hintToken } from '../../src/receiver/hint-token.ts';
import { Intake, type IntakeOptions } from '../../src/receiver/intake.ts';
import { type ReceiverOptions, startReceiver } from '../../src/receiver/server.ts';

export const secret = 'whsec_test';
export const apiKey = 'svc_test_secret';

export async function receiver(
  more: Partial<ReceiverOptions> &
    Partial<
      Pick<IntakeOptions, 'secrets' | 'onWrongSignature' | 'onTrouble' | 'keep' | 'seen' | 'now'>
    > = {},
) {
  const {
    secrets = () => [secret],
    onWrongSignature,
    onTrouble,
    keep,
    seen,
    now = Date.now,
    ...options
  } = more;
  const feed = new HintFeed();
  const intake = new Intake({
    feed,
    secrets,
    ...(onWrongSignature ? { onWrongSignature } : {}),
    ...(onTrouble ? { onTrouble } : {}),
    now,
    ...(keep ? { keep } : {}),
    ...(seen ? { seen } : {}),
  });
  const running = await startReceiver({
    host: '127.0.0.1',
    port: 0,
    path: '/webhooks',
    intake,
    feed,
    token: hintToken(apiKey),
    ...options,
  });
  onTestFinished(() => running.stop());
  return { ...running, intake, feed, url: `${running.origin}/webhooks` };
}

export const signatureOf = (body: string | Uint8Array, key = secret) =>
  createHmac('sha256', key).update(body).digest('hex');

/** Posts as the platform does. */
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
