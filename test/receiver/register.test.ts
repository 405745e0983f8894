// Tests that registering does not replace a webhook of another program, because a workspace has only one.
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { startSandbox } from '../../packages/sandbox/src/server/server.ts';
import { type Client, createClient } from '../../src/api/client.ts';
import { registerWebhook, wantedEvents } from '../../src/receiver/register.ts';
import { clientOf, json, startServer } from '../api/_server.ts';

const mine = 'https://hooks.example.com/webhooks';
const theirs = 'https://shop.example.com/hook?token=abc';
let client: Client;
beforeEach(async () => {
  const sandbox = await startSandbox({
    seed: 1,
    pictureScale: 0,
    rateLimit: 0,
    allowPrivateUrls: true,
  });
  onTestFinished(() => sandbox.stop());
  client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
  onTestFinished(() => client.close());
});

describe('registering', () => {
  test('registering creates an enabled webhook with the used events', async () => {
    const secret = await registerWebhook(client, mine, false);
    expect(await client.getWebhook()).toMatchObject({
      url: mine,
      events: wantedEvents,
      enabled: true,
    });
    expect((await client.getWebhookSecret()).secret).toBe(secret);
  });

  test('registering again keeps the secret and updates the address', async () => {
    const first = await registerWebhook(client, mine, false);
    const moved = 'https://new.example.com/webhooks';
    expect(await registerWebhook(client, moved, false)).toBe(first);
    expect(await client.getWebhook()).toMatchObject({ url: moved });
  });

  test('registering leaves the webhook of another program alone, and reports its URL without the query', async () => {
    await client.updateWebhook({ body: { url: theirs, description: 'shop' } });
    await expect(registerWebhook(client, mine, false)).rejects.toMatchObject({
      name: 'WebhookTakenError',
      url: 'https://shop.example.com/hook',
    });
    expect(await client.getWebhook()).toMatchObject({ url: theirs, description: 'shop' });
  });

  test.each([
    ['has no address', { configured: true }, 'an address that is not shown'],
    [
      'is configured according to a string',
      { configured: 'true', url: theirs },
      'https://shop.example.com/hook',
    ],
  ])('registering does not change a webhook that %s', async (_, answer, shown) => {
    const server = await startServer();
    onTestFinished(() => server.close());
    server.respondWith((_request, response) => json(response, 200, answer));
    const odd = clientOf(server, { operations: { getWebhook: 'GET /webhooks' } });
    await expect(registerWebhook(odd, mine, false)).rejects.toMatchObject({ url: shown });
  });

  test('registering changes nothing if the owner of the webhook cannot be read', async () => {
    const server = await startServer();
    onTestFinished(() => server.close());
    server.respondWith((_request, response) => json(response, 200, { configured: true, url: [] }));
    const odd = clientOf(server, { operations: { getWebhook: 'GET /webhooks' } });
    await expect(registerWebhook(odd, mine, false)).rejects.toThrow('getWebhook: "url"');
    expect(server.received).toHaveLength(1);
  });

  test('registering replaces the webhook of another program on request', async () => {
    await client.updateWebhook({ body: { url: theirs, description: 'shop' } });
    await registerWebhook(client, mine, true);
    expect(await client.getWebhook()).toMatchObject({ url: mine });
  });
});
