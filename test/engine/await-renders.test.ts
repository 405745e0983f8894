// One poll of the render jobs of a shard: which assets are done, which are retried, and which are overdue.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { NodeContext } from '../../src/engine/node-context.ts';
import {
  createPollerContext,
  type PollerContext,
} from '../../src/engine/polling/poller-context.ts';
import { awaitRenders } from '../../src/features/renders/render-complete.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';
import { contextOn } from './_context.ts';
import { ScriptedPlatform } from './_platform.ts';

let platform: ScriptedPlatform;
let pollerContext: PollerContext;
let nowMs: number;
let wait: NodeContext['wait'];
beforeEach(async () => {
  platform = await ScriptedPlatform.start();
  nowMs = 1_000_000;
  wait = null;
  pollerContext = createPollerContext(platform.client, () => nowMs);
});
afterEach(() => platform.stop());

/** An asset whose render was submitted long enough ago for a poll to be useful. */
function rendering(key: string, batchId = 'b1', more: PlatformIds = {}): StepAsset {
  const platformIds: PlatformIds = {
    jobId: `job-${key}`,
    batchId,
    projectId: key,
    submittedAt: new Date(platform.feed.nowMs).toISOString(),
    ownProject: true,
    outputCountKey: 'one still',
    ...more,
  };
  return { ...asset(key, platformIds), enteredAtMs: 0, deadlineMs: 9_000_000 };
}

const look = (...assets: StepAsset[]) =>
  awaitRenders({}, assets, contextOn(platform, { pollerContext, wait, now: () => nowMs }));

/** Polls once per interval until there is a result. The first poll of a batch only registers the batch. */
async function untilOver(...assets: StepAsset[]): Promise<AssetResult[]> {
  for (let tick = 0; tick < 10; tick += 1) {
    const found = await look(...assets);
    if (found.length > 0) return found;
    nowMs += 1_000;
  }
  return [];
}

describe('a render that has ended', () => {
  it('after COMPLETED, the asset continues with its outputs', async () => {
    platform.submit('b1', 'x');
    const one = rendering('x');
    platform.end('COMPLETED', 'x');
    expect(await untilOver(one)).toMatchObject([
      { key: 'x', outcome: 'done', platformIds: { outputs: [{ id: 'r1', fileType: 'PNG' }] } },
    ]);
  });

  it.each([
    ['FAILED', { outcome: 'retry', code: 'RENDER_FAILED', platformIds: { failedJob: true } }],
    [
      'CANCELLED',
      { outcome: 'failed', code: 'RENDER_CANCELLED', forgetIds: expect.arrayContaining(['jobId']) },
    ],
  ])('after %s, the asset is retried or fails', async (status, expected) => {
    platform.submit('b1', 'x');
    platform.end(status, 'x');
    expect(await untilOver(rendering('x'))).toMatchObject([{ key: 'x', ...expected }]);
  });

  it('a render that was retried is polled again, although its job id is the same', async () => {
    platform.submit('b1', 'x');
    const first = rendering('x');
    platform.end('FAILED', 'x');
    expect(await untilOver(first)).toMatchObject([{ outcome: 'retry' }]);
    platform.batches.delete('b1');
    platform.submit('b2', 'x');
    const again = rendering('x', 'b2', { retries: 1, ownProject: false });
    expect(await look(again)).toEqual([]);
    platform.end('COMPLETED', 'x');
    expect(await untilOver(again)).toEqual([{ key: 'x', outcome: 'done' }]);
  });
});

it('a job that was retried a second time in an unknown batch is polled again', async () => {
  const submitted = (ms: number) => ({
    submittedAt: new Date(platform.feed.nowMs + ms).toISOString(),
    ownProject: false,
  });
  platform.submit('b1', 'x');
  platform.end('FAILED', 'x');
  expect(await untilOver(rendering('x', '', submitted(0)))).toMatchObject([{ outcome: 'retry' }]);
  platform.batches.delete('b1');
  platform.submit('b2', 'x');
  const again = rendering('x', '', submitted(1_000));
  expect(await look(again)).toEqual([]);
  platform.end('COMPLETED', 'x');
  expect(await untilOver(again)).toEqual([{ key: 'x', outcome: 'done' }]);
});

describe('waiting for a render', () => {
  it('an asset that has just been submitted causes no request', async () => {
    platform.submit('b1', 'x');
    expect(await look({ ...rendering('x'), enteredAtMs: nowMs })).toEqual([]);
    expect(platform.requests).toEqual([]);
  });

  it('an output that the pipeline starts from causes no request', async () => {
    const output = { id: 'r1', name: 'front', fileType: 'PNG', isVideo: false, isPreview: false };
    const platformIds: PlatformIds = { projectId: 'x', outputs: [output] };
    const found = await look({ ...rendering('x'), platformIds, enteredAtMs: nowMs });
    expect(found).toMatchObject([{ key: 'x', outcome: 'done' }]);
    expect(platform.requests).toEqual([]);
  });

  it('an asset without a job fails', async () => {
    const { jobId: _none, ...platformIds } = rendering('x').platformIds;
    expect(await untilOver({ ...rendering('x'), platformIds })).toMatchObject([
      { code: 'NO_RENDER' },
    ]);
  });

  it('an overdue asset fails immediately, even while others are still awaited', async () => {
    wait = { batchAssets: 50 };
    platform.submit('b1', 'x', 'y');
    const late = { ...rendering('x'), deadlineMs: nowMs + 5_000 };
    expect(await look(late, rendering('y'))).toEqual([]);
    nowMs += 5_000;
    expect(await look(late, rendering('y'))).toMatchObject([{ key: 'x', code: 'RENDER_TIMEOUT' }]);
  });

  it('the failure of an overdue asset states the timeout', async () => {
    platform.submit('b1', 'x');
    const late = { ...rendering('x'), deadlineMs: 60_000 };
    expect(await untilOver(late)).toMatchObject([
      { code: 'RENDER_TIMEOUT', message: expect.stringContaining('within 1m;') as string },
    ]);
  });
});
