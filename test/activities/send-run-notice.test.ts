// A run notice reads the whole run's results, so Temporal must not take its attempt for dead meanwhile.
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, expect, it, vi } from 'vitest';
import { createDeps } from '../../activities/deps.ts';
import { createActivities } from '../../activities/index.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import type { NoticeInput } from '../../src/plan/contract/notice-contract.ts';
import { tempFolder } from '../connectors/_temp-folder.ts';
import { noWorkflows } from '../engine/_context.ts';
import { ScriptedPlatform } from '../engine/_platform.ts';
import { useReceiver } from '../engine/_receiver.ts';

const receiver = useReceiver();
afterEach(() => void vi.useRealTimers());

it('an attempt sends heartbeats while the records of its run are being read', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const platform = await ScriptedPlatform.start();
  const path = await tempFolder();
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  class SlowConnector extends LocalConnector {
    override async *names(...parameters: Parameters<LocalConnector['names']>) {
      await released;
      yield* super.names(...parameters);
    }
  }
  const deps = createDeps({
    client: platform.client,
    workflows: noWorkflows,
    secrets: [],
    environment: { RENDERLINE_SECRET_HOOK: 'shared words' },
  });
  const { sendNotice } = createActivities({
    ...deps,
    connectorOf: () => new SlowConnector({ type: 'local', path }),
  });
  const input = {
    id: 'run/notice-1',
    target: { url: receiver.url, secretFrom: 'RENDERLINE_SECRET_HOOK', on: ['complete'] },
    notice: { run: 'run', pipeline: 'shop', outcome: 'complete' },
    records: { type: 'local', path },
  } as unknown as NoticeInput;
  const environment = new MockActivityEnvironment();
  let heard = 0;
  environment.on('heartbeat', () => (heard += 1));
  const sending = environment.run(() => sendNotice?.(input as never) ?? Promise.reject());
  await vi.advanceTimersByTimeAsync(60_000);
  release();
  expect(await sending).toMatchObject({ status: 200 });
  expect(heard).toBeGreaterThanOrEqual(10);
  expect(receiver.got).toHaveLength(1);
  await platform.stop();
});
