// The workspace's webhook configuration.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { webhookEvents } from '../../../../src/api/operations/webhooks.ts';
import { TestSandbox } from '../_test-sandbox.ts';

const addresses: Record<string, string[]> = {
  'hooks.example.com': ['93.184.216.34'],
  'inside.example.com': ['93.184.216.34', '10.0.0.7'],
};
const resolveHost = async (name: string) => {
  const found = addresses[name];
  if (!found) throw new Error('ENOTFOUND');
  return found;
};
const url = 'https://hooks.example.com/in';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox({ resolveHost });
});
afterEach(() => sandbox.sandbox.close());

const put = (body: unknown) =>
  sandbox.call<{ id: string; secret: string; error?: { message: string } }>('PUT /webhooks', body);

describe('a workspace without a webhook', () => {
  test('a workspace without a webhook has no secret', async () => {
    expect(await sandbox.call('GET /webhooks/secret')).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    });
  });

  test('a workspace without a webhook lists the seven events with descriptions', async () => {
    const { body } = await sandbox.call<{ events: { name: string; description: string }[] }>(
      'GET /webhooks/events',
    );
    expect(body.events.map(({ name }) => name)).toEqual(webhookEvents);
    for (const { description } of body.events) expect(description).toMatch(/^.+\.$/);
  });
});

describe('PUT /webhooks', () => {
  test('PUT /webhooks creates a webhook with all events, enabled, and a secret', async () => {
    const { status, body } = await put({ url });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.any(String),
      url,
      secret: expect.stringMatching(/^whsec_[0-9a-f]{48}$/),
      events: webhookEvents,
      enabled: true,
      description: '',
    });
    expect((await sandbox.call('GET /webhooks')).body).toEqual({
      configured: true,
      id: body.id,
      url,
      events: webhookEvents,
      enabled: true,
      description: '',
      failureCount: 0,
    });
    expect((await sandbox.call('GET /webhooks/secret')).body).toEqual({ secret: body.secret });
  });

  test('PUT /webhooks changes the given fields and keeps the others, including the id and the secret', async () => {
    const first = await put({ url, events: ['job.failed', 'job.failed'], description: 'mine' });
    const second = await put({ url: `${url}2`, enabled: false });
    expect(second.body).toEqual({
      ...first.body,
      url: `${url}2`,
      events: ['job.failed'],
      enabled: false,
      description: 'mine',
    });
  });

  test('PUT /webhooks with an empty list subscribes to no event', async () => {
    expect((await put({ url, events: [] })).body).toMatchObject({ events: [] });
  });

  test.each([
    [{ url: 'nowhere' }, /url: not a URL/],
    [{ url: 'ftp://hooks.example.com/' }, /url: must be an http or https URL/],
    [{ url: 'http://localhost:9000/' }, /url: localhost is private/],
    [{ url: 'http://127.0.0.1/' }, /private/],
    [{ url: 'http://169.254.169.254/latest/meta-data/' }, /metadata/],
    [{ url: 'http://metadata.google.internal/' }, /metadata/],
    [{ url: 'https://inside.example.com/' }, /private address/],
    [{ url: 'https://user:pass@hooks.example.com/' }, /user name or password/],
    [{ url, events: ['render.complete', 'render.done'] }, /events\[1\].*"render\.done"/],
  ])('PUT /webhooks refuses %j without storing a webhook', async (body, message) => {
    const answer = await put(body);
    expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(answer.body.error?.message).toMatch(message);
    expect((await sandbox.call('GET /webhooks')).body).toEqual({ configured: false });
  });

  test('PUT /webhooks accepts a host name that does not currently resolve', async () => {
    expect((await put({ url: 'https://later.example.com/' })).status).toBe(200);
  });

  test('PUT /webhooks accepts private hosts with allowPrivateUrls', async () => {
    await sandbox.sandbox.close();
    sandbox = new TestSandbox({ allowPrivateUrls: true });
    expect((await put({ url: 'http://127.0.0.1:9/' })).status).toBe(200);
  });

  test('PUT /webhooks refuses a name that resolves to a metadata service, even with allowPrivateUrls', async () => {
    await sandbox.sandbox.close();
    const toMetadata = async () => ['169.254.169.254'];
    sandbox = new TestSandbox({ allowPrivateUrls: true, resolveHost: toMetadata });
    expect((await put({ url })).body.error?.message).toMatch(/metadata service/);
  });

  test('PUT /webhooks applies the same checks as the webhook of a job', async () => {
    const models = [{ fileName: 'a.glb', fileType: 'glb' }];
    for (const webhookUrl of ['http://10.0.0.1/', 'https://inside.example.com/']) {
      const answer = await sandbox.call('POST /jobs', { models, webhookUrl });
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
      expect(answer.text).toContain('webhookUrl');
    }
    expect((await sandbox.call('POST /jobs', { models, webhookUrl: url })).status).toBe(201);
  });
});
