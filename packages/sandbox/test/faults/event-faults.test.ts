// Faults of events, and test events.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { brokenModel, createProject, readyModel, startRender } from '../_flows.ts';
import { type Receiver, signatureOf, startSubscribed, subscribe } from '../_receiver.ts';
import type { TestSandbox } from '../_test-sandbox.ts';

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

describe('event faults', () => {
  const send = (event: string, data: object = {}, forge?: string) =>
    sandbox.control('/events', { event, data, ...(forge ? { forge } : {}) });
  const genuine = () =>
    receiver.received.map(
      ({ raw, headers }) => headers['x-service-signature'] === signatureOf(raw, secret),
    );

  test('the fault `drop` loses the event without counting a failure', async () => {
    await faults({ event: 'model.*', nth: 1, do: { drop: true } });
    await failedModel();
    await failedModel();
    expect(receiver.received).toHaveLength(1);
    expect(await configuration()).toMatchObject({ failureCount: 0 });
  });

  test('the fault `repeat` delivers the same bytes again', async () => {
    await faults({ event: '*', do: { repeat: 2 } });
    await failedModel();
    expect(receiver.received).toHaveLength(3);
    expect(new Set(receiver.received.map(({ raw }) => raw.toString())).size).toBe(1);
  });

  test('the fault `delayMs` delivers the event later', async () => {
    await faults({ event: '*', do: { delayMs: 40 } });
    const since = performance.now();
    await failedModel();
    expect(performance.now() - since).toBeGreaterThanOrEqual(39);
    expect(receiver.received).toHaveLength(1);
  });

  test('the fault `reorder` delivers the next event first, and every event if none follows', async () => {
    await faults({ event: 'project.created', do: { reorder: true } });
    await send('project.created');
    await send('render.failed');
    await delivered();
    expect(receiver.events).toEqual(['render.failed', 'project.created']);
    await send('project.created');
    await delivered();
    expect(receiver.events).toHaveLength(3);
  });

  test.each(['unsigned', 'wrong-secret', 'tampered'])(
    'the fault `forge: %s` adds a forged copy',
    async (forge) => {
      await faults({ event: '*', do: { forge } });
      await failedModel();
      expect(genuine()).toHaveLength(2);
      expect(new Set(genuine())).toEqual(new Set([false, true]));
    },
  );

  test('test events are sent with a valid or a forged signature', async () => {
    await send('render.complete', { jobId: 'none' });
    await delivered();
    await send('render.complete', { jobId: 'none' }, 'unsigned');
    await delivered();
    expect(genuine()).toEqual([true, false]);
    expect(receiver.received[0]?.body).toMatchObject({
      event: 'render.complete',
      data: { jobId: 'none' },
    });
  });

  test('a test event requires a known name and a subscriber', async () => {
    await subscribe(sandbox, receiver, { events: [] });
    expect(await send('render.complete')).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
    expect(await send('render.begun')).toMatchObject({ error: { code: 'VALIDATION_ERROR' } });
  });

  test('an event can arrive before the response to the creating call', async () => {
    await faults({ render: '*', do: { durationMs: 0 } });
    const projectId = await createProject(sandbox, [await readyModel(sandbox)]);
    await faults(
      { render: '*', do: { durationMs: 0 } },
      { match: 'createRenders', do: { delayMs: 200 } },
    );
    const creating = startRender(sandbox, [projectId]);
    await expect.poll(() => receiver.events, { interval: 5 }).toContain('render.complete');
    const answered = await Promise.race([creating.then(() => true), Promise.resolve(false)]);
    expect(answered).toBe(false);
    expect((await creating).jobId).toBe(receiver.received.at(-1)?.body.data.jobId);
  });
});
