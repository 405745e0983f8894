// Delivery of events: time, body, signature, and the effect of faults.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/server/server.ts';
import { delivery } from '../../src/webhooks/sender.ts';
import {
  brokenModel,
  createModel,
  createProject,
  finishRender,
  readyModel,
  startRender,
  uploadedModel,
} from '../_flows.ts';
import { Receiver, signatureOf, startSubscribed, subscribe } from '../_receiver.ts';
import { startMs, TestSandbox, triangleGlb } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
let receiver: Receiver;
let secret: string;
beforeEach(async () => {
  ({ receiver, sandbox, secret } = await startSubscribed());
});
afterEach(async () => {
  await sandbox.sandbox.close();
  await receiver.stop();
});

const delivered = () => sandbox.sandbox.deliverEvents();
const faults = (...rules: object[]) => sandbox.control('/faults', rules);
const configuration = async () => (await sandbox.call('GET /webhooks')).body;

const failedModel = () => brokenModel(sandbox);

describe('events', () => {
  test('model.processed is sent when processing ends, even if nobody reads the model', async () => {
    const modelId = await uploadedModel(sandbox);
    sandbox.advance(3.9);
    await delivered();
    expect(receiver.events).toEqual([]);
    sandbox.advance(0.1);
    await delivered();
    await delivered();
    expect(receiver.received.map(({ body }) => body)).toEqual([
      {
        event: 'model.processed',
        timestamp: new Date(startMs + 4000).toISOString(),
        data: {
          modelId,
          name: 'chair',
          status: 'READY',
          glbFilePath: expect.stringMatching(/^http.*source\.glb$/),
          thumbnailUrl: expect.stringMatching(/^http/),
        },
      },
    ]);
    const picture = await sandbox.request(receiver.received[0]?.body.data.thumbnailUrl ?? '');
    expect([picture.status, picture.headers.get('content-type')]).toEqual([200, 'image/jpeg']);
  });

  test('model.failed is sent for a broken model', async () => {
    const modelId = await failedModel();
    expect(receiver.received[0]?.body).toMatchObject({
      event: 'model.failed',
      data: { modelId, name: 'broken', status: 'FAILED' },
    });
  });

  test('model.processed is sent once for a replaced file, when the new file is processed', async () => {
    const { uploadUrl } = await createModel(sandbox);
    await sandbox.put(uploadUrl, triangleGlb());
    sandbox.advance(3);
    await sandbox.put(uploadUrl, triangleGlb(['other']));
    sandbox.advance(3);
    await delivered();
    expect(receiver.events).toEqual([]);
    sandbox.advance(1);
    await delivered();
    expect(receiver.events).toEqual(['model.processed']);
  });

  test('no event is sent for a deleted model or a cancelled render', async () => {
    await sandbox.call('PUT /webhooks', {
      url: receiver.url,
      events: ['render.complete', 'model.processed'],
    });
    const modelId = await readyModel(sandbox);
    await delivered();
    const projectId = await createProject(sandbox, [modelId]);
    const { jobId } = await startRender(sandbox, [projectId]);
    expect((await sandbox.call(`POST /renders/${jobId}/cancel`)).status).toBe(200);
    await sandbox.call(`DELETE /models/${await uploadedModel(sandbox)}`);
    sandbox.advance(60);
    await sandbox.sandbox.idle();
    await delivered();
    expect(receiver.events).toEqual(['model.processed']);
  });

  test('project.created and render.complete are sent once each', async () => {
    const modelId = await readyModel(sandbox);
    const projectId = await createProject(sandbox, [modelId], { templateId: 'tpl-hero-dark' });
    const { jobId } = await startRender(sandbox, [projectId]);
    const { renders } = await finishRender(sandbox, jobId);
    await delivered();
    expect(receiver.received.map(({ body }) => [body.event, body.data])).toEqual([
      ['model.processed', expect.anything()],
      [
        'project.created',
        { projectId, name: 'chair', modelIds: [modelId], templateId: 'tpl-hero-dark' },
      ],
      [
        'render.complete',
        { jobId, status: 'COMPLETED', projectId, renderIds: renders.map(({ id }) => id) },
      ],
    ]);
    expect(renders.length).toBeGreaterThan(0);
  });

  test('render.failed is sent, followed by render.complete after the retry', async () => {
    await faults({ render: '*', nth: 1, do: { failure: 'burnt', durationMs: 1000 } });
    const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
    const { jobId } = await startRender(sandbox, [projectId]);
    sandbox.advance(1);
    await delivered();
    expect(receiver.received.at(-1)?.body).toMatchObject({
      event: 'render.failed',
      data: { jobId, status: 'FAILED', projectId, errorMessage: 'burnt' },
    });
    await sandbox.call(`POST /renders/${jobId}/retry`);
    await finishRender(sandbox, jobId);
    await delivered();
    expect(receiver.events.slice(-2)).toEqual(['render.failed', 'render.complete']);
  });

  test('model.failed is sent for a failed import, with the error', async () => {
    receiver.statuses = [500];
    const url = receiver.url.replace('hook', 'a.glb');
    expect((await sandbox.call('POST /models/import', { url })).status).toBe(202);
    await sandbox.sandbox.idle();
    await delivered();
    expect(receiver.received.at(-1)?.body).toMatchObject({
      event: 'model.failed',
      data: { status: 'FAILED', error: expect.stringContaining('500') },
    });
  });
});

describe('unified jobs', () => {
  async function job(more: object = {}, bytes: Uint8Array = triangleGlb()) {
    const { body } = await sandbox.call<{
      jobId: string;
      models: { id: string; uploadUrl: string }[];
    }>('POST /jobs', { models: [{ fileName: 'Red Chair.glb', fileType: 'glb' }], ...more });
    for (const { uploadUrl } of body.models) await sandbox.put(uploadUrl, bytes);
    await sandbox.call(`POST /jobs/${body.jobId}/confirm-uploads`);
    sandbox.advance(4);
    return { jobId: body.jobId, modelId: body.models[0]?.id };
  }
  const read = async (jobId: string) => {
    const { body } = await sandbox.call<{ status: string; results: unknown }>(`GET /jobs/${jobId}`);
    await delivered();
    return body;
  };

  test('only the read that completes a job sends job.complete', async () => {
    const { jobId, modelId } = await job();
    sandbox.advance(600);
    await delivered();
    expect(receiver.events).toEqual(['model.processed']);
    await read(jobId);
    expect(receiver.events.slice(1)).toEqual(['project.created']);
    await read(jobId);
    await read(jobId);
    expect(receiver.events.slice(2)).toEqual(['job.complete']);
    expect(receiver.received.at(-1)?.body.data).toEqual({
      jobId,
      status: 'COMPLETE',
      results: [
        {
          model: { id: modelId, name: 'Red Chair' },
          project: { id: expect.any(String), name: 'Red Chair' },
        },
      ],
    });
  });

  test('a job sends job.failed with the error', async () => {
    const { jobId } = await job({}, Buffer.from('no model'));
    const { status } = await read(jobId);
    expect(status).toBe('FAILED');
    expect(receiver.received.at(-1)?.body).toMatchObject({
      event: 'job.failed',
      data: { jobId, status: 'FAILED', error: expect.stringContaining('FAILED') },
    });
  });

  test('a job sends a flat, unsigned notification to its own webhook, in addition to the workspace event', async () => {
    const own = new Receiver();
    await own.start();
    const { jobId } = await job({ webhookUrl: own.url });
    await read(jobId);
    const { results } = await read(jobId);
    expect(own.received.map(({ body }) => body)).toEqual([
      { event: 'job.complete', jobId, status: 'COMPLETE', results },
    ]);
    expect(own.received[0]?.headers).not.toHaveProperty('x-service-signature');
    expect(receiver.events).toContain('job.complete');
    await own.stop();
  });

  test('a job sends a failure with an error to its own webhook, without a workspace webhook', async () => {
    await sandbox.call('PUT /webhooks', { url: receiver.url, enabled: false });
    const own = new Receiver();
    await own.start();
    const { jobId } = await job({ webhookUrl: own.url }, Buffer.from('no model'));
    await read(jobId);
    expect(own.received.map(({ body }) => body)).toEqual([
      { event: 'job.failed', jobId, status: 'FAILED', error: expect.any(String) },
    ]);
    expect(receiver.events).toEqual([]);
    await own.stop();
  });
});

describe('a delivery', () => {
  test('a delivery is signed over its raw bytes, and contains no key', async () => {
    await failedModel();
    const [first] = receiver.received;
    if (!first) throw new Error('nothing was delivered');
    const { raw, headers } = first;
    expect(headers['x-service-signature']).toBe(signatureOf(raw, secret));
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.stringify(headers)).not.toContain(sandbox.apiKey);
  });

  test('a successful delivery sets lastTriggeredAt and counts no failure', async () => {
    await failedModel();
    expect(await configuration()).toMatchObject({
      lastTriggeredAt: new Date(sandbox.now).toISOString(),
      failureCount: 0,
    });
  });

  test('a delivery is attempted three times with the same bytes, and a success resets the count of failures', async () => {
    receiver.statuses = [500, 503, 404];
    await failedModel();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
    expect(await configuration()).toMatchObject({ failureCount: 1 });
    receiver.statuses = [500, 500, 500, 500, 200];
    await failedModel();
    expect(await configuration()).toMatchObject({ failureCount: 2 });
    await failedModel();
    expect(receiver.received).toHaveLength(8);
    expect(await configuration()).toMatchObject({ failureCount: 0 });
  });

  test('a delivery does not follow redirects', async () => {
    receiver.statuses = [302, 307, 301];
    receiver.location = receiver.url;
    await failedModel();
    expect(receiver.received).toHaveLength(3);
    expect(await configuration()).toMatchObject({ failureCount: 1 });
  });

  test('a delivery fails if the receiver is stopped', async () => {
    await receiver.stop();
    await failedModel();
    expect(await configuration()).toMatchObject({ failureCount: 1 });
    await receiver.start();
  });

  test('a delivery is sent only to subscribers of its event while the webhook is enabled', async () => {
    await subscribe(sandbox, receiver, { events: ['render.complete'] });
    await failedModel();
    await subscribe(sandbox, receiver, { events: ['model.failed'], enabled: false });
    await failedModel();
    expect(receiver.events).toEqual([]);
    await subscribe(sandbox, receiver, { enabled: true });
    await delivered();
    expect(receiver.events).toEqual([]);
    await failedModel();
    expect(receiver.events).toEqual(['model.failed']);
  });

  test.each([
    [false, '93.184.216.34', ['127.0.0.1']],
    [true, '127.0.0.1', ['169.254.169.254', '127.0.0.1']],
  ])(
    'a delivery is not sent to a name that now resolves to a forbidden address (private ones allowed: %s)',
    async (allowPrivateUrls, before, now) => {
      await sandbox.sandbox.close();
      const answers = [[before], now, now, now];
      const resolveHost = async () => answers.shift() ?? [];
      sandbox = new TestSandbox({ speed: 1000, allowPrivateUrls, resolveHost });
      const url = receiver.url.replace('127.0.0.1', 'hooks.example.com');
      expect((await sandbox.call('PUT /webhooks', { url })).status).toBe(200);
      await failedModel();
      expect(answers).toHaveLength(0);
      expect(receiver.received).toHaveLength(0);
      expect(await configuration()).toMatchObject({ failureCount: 1 });
    },
  );
});

describe('without a test clock', () => {
  test('an event is sent without a request after the upload', async () => {
    const running = await startSandbox({ allowPrivateUrls: true, speed: 20, pictureScale: 0 });
    const call = (method: string, path: string, body: unknown) =>
      fetch(`${running.url}${path}`, {
        method,
        headers: { 'x-api-key': running.apiKey, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await call('PUT', '/webhooks', { url: receiver.url });
    const made = await call('POST', '/models', { models: [{ fileType: 'glb', name: 'real' }] });
    const { models } = (await made.json()) as { models: { uploadUrl: string }[] };
    await fetch(models[0]?.uploadUrl ?? '', { method: 'PUT', body: triangleGlb() });
    await expect.poll(() => receiver.events, { timeout: 5000 }).toEqual(['model.processed']);
    await running.stop();
  });

  test('events are all counted as failures if there are more than can wait for a stopped receiver', async () => {
    await receiver.stop();
    for (let sent = 0; sent < delivery.maxWaiting + 200; sent += 1) {
      await sandbox.control('/events', { event: 'job.failed' });
    }
    await delivered();
    const { failureCount } = await configuration();
    expect(failureCount).toBe(delivery.maxWaiting + 200);
    await receiver.start();
  }, 120_000);
});

describe('restart and reset', () => {
  let data: string;
  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'renderline-events-'));
  });
  afterEach(() => rmSync(data, { recursive: true, force: true }));

  test('a restart keeps the webhook, sends later events, and repeats none', async () => {
    let now = startMs;
    const start = () => new TestSandbox({ data, allowPrivateUrls: true, clock: () => now });
    const before = start();
    await before.call('PUT /webhooks', { url: receiver.url });
    const told = await uploadedModel(before);
    now += 6000;
    await before.sandbox.deliverEvents();
    const open = await uploadedModel(before);
    await before.sandbox.close();
    const after = start();
    await after.sandbox.deliverEvents();
    now += 6000;
    await after.sandbox.deliverEvents();
    expect(receiver.received.map(({ body }) => body.data.modelId)).toEqual([told, open]);
    expect((await after.call('GET /webhooks')).body).toMatchObject({ configured: true });
    await after.sandbox.close();
  });

  test('a reset removes the webhook and the events that are due', async () => {
    await uploadedModel(sandbox);
    await sandbox.control('/reset', {});
    await subscribe(sandbox, receiver);
    sandbox.advance(60);
    await delivered();
    expect(receiver.events).toEqual([]);
  });
});
