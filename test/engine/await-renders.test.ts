// One look at the render jobs of a shard: who is done, who is to be tried again, who is overdue.
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

/** An asset whose render was submitted long enough ago to be worth a look. */
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

/** Looks once a tick until something is over: the first look at a batch only takes note of it. */
async function untilOver(...assets: StepAsset[]): Promise<AssetResult[]> {
  for (let tick = 0; tick < 10; tick += 1) {
    const found = await look(...assets);
    if (found.length > 0) return found;
    nowMs += 1_000;
  }
  return [];
}

describe('a render that has ended', () => {
  it('COMPLETED: the asset goes on with its outputs', async () => {
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
  ])('%s', async (status, expected) => {
    platform.submit('b1', 'x');
    platform.end(status, 'x');
    expect(await untilOver(rendering('x'))).toMatchObject([{ key: 'x', ...expected }]);
  });

  it('and was started again is looked at anew, though its job id is the same', async () => {
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

it('a job that was started again in a batch that is not known, and again, is looked at anew', async () => {
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

describe('without a look', () => {
  it('an asset that has just been submitted costs no request', async () => {
    platform.submit('b1', 'x');
    expect(await look({ ...rendering('x'), enteredAtMs: nowMs })).toEqual([]);
    expect(platform.requests).toEqual([]);
  });

  it('an output that a pipeline begins with has nothing to wait for', async () => {
    const output = { id: 'r1', name: 'front', fileType: 'PNG', isVideo: false, isPreview: false };
    const platformIds: PlatformIds = { projectId: 'x', outputs: [output] };
    const found = await look({ ...rendering('x'), platformIds, enteredAtMs: nowMs });
    expect(found).toMatchObject([{ key: 'x', outcome: 'done' }]);
    expect(platform.requests).toEqual([]);
  });

  it('an asset without a job fails by name', async () => {
    const { jobId: _none, ...platformIds } = rendering('x').platformIds;
    expect(await untilOver({ ...rendering('x'), platformIds })).toMatchObject([
      { code: 'NO_RENDER' },
    ]);
  });

  it('an overdue asset is told at once, though others are waited for', async () => {
    wait = { batchAssets: 50 };
    platform.submit('b1', 'x', 'y');
    const late = { ...rendering('x'), deadlineMs: nowMs + 5_000 };
    expect(await look(late, rendering('y'))).toEqual([]);
    nowMs += 5_000;
    expect(await look(late, rendering('y'))).toMatchObject([{ key: 'x', code: 'RENDER_TIMEOUT' }]);
  });

  it('an overdue asset is told with how long it had', async () => {
    platform.submit('b1', 'x');
    const late = { ...rendering('x'), deadlineMs: 60_000 };
    expect(await untilOver(late)).toMatchObject([
      { code: 'RENDER_TIMEOUT', message: expect.stringContaining('within 1m;') as string },
    ]);
  });
});
