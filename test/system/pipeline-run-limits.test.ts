// A run that asks for approval after its first assets, or whose failures exceed its tolerance: its result, and the
// shards that it starts.
import { describe, expect, test } from 'vitest';
import { messages } from '../../src/plan/contract/messages.ts';
import { picturesChangedCode } from '../../src/plan/run/run-cause.ts';
import type { Plan, Tolerance } from '../../src/plan/types.ts';
import { failure } from '../plan/_steps.ts';
import { causeFailure, gate, usePipelineScenarios } from './_pipeline-scenario.ts';
import {
  expectCalls,
  failedAssets,
  oneByOne,
  permanentFailure,
  retryLaterCause,
  totals,
} from './_scenario-values.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const runs = usePipelineScenarios(() => {
  const { client, nativeConnection } = inUse.environment;
  return { client, connection: nativeConnection };
});

describe('a canary', () => {
  const canary = { assets: 3, timeoutMs: 3_600_000 };

  test('the canary is done first, in its own shards, and the other shards start after the approval', async () => {
    const run = await runs.start({ assets: 7, plan: { canary } });
    const asks = await run.waitForProgress('it asks', ({ state }) => state === 'paused');
    expect(asks).toMatchObject({
      cause: { code: 'CANARY_WAITING', kind: 'later' },
      canary: { assets: 3, state: 'waiting' },
      totals: totals(7, 3),
    });
    expectCalls(run, { openShard: ['0', '1'], make: ['0: 0 1', '1: 0'] });
    await run.signal('approve');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(7, 7) });
    expect(result).not.toHaveProperty('cause');
    expectCalls(run, { openShard: ['0', '1', '2', '3'], endOrphanedChildren: [] });
  });

  test('a canary that is not approved in time ends the run with its results so far', async () => {
    const run = await runs.start({
      assets: 7,
      plan: { canary },
      runStep: (shard) => (shard === 1 ? failedAssets(shard, [0]) : {}),
    });
    const { status, result, message } = await run.end();
    expect(status).toBe('failed');
    expect(message).toMatch(/^CANARY_NOT_APPROVED: the first 3 of 7 assets are done/);
    expect(result).toMatchObject({
      outcome: 'failed',
      assets: totals(7, 2, 1, 4),
      cause: { code: 'CANARY_NOT_APPROVED', kind: 'never' },
      failures: [{ key: '1-0', code: 'BAD' }],
    });
    expect(result?.seconds).toBeGreaterThanOrEqual(3_600);
    expectCalls(run, { openShard: ['0', '1'], endOrphanedChildren: ['2'] });
  });

  test('a canary needs no approval if its failures stop the run', async () => {
    const tolerate: Tolerance = { failures: 0, of: 'count', onBreach: 'stop', submits: ['make'] };
    const run = await runs.start({
      assets: 7,
      plan: { canary, tolerate },
      runStep: (shard) => (shard === 1 ? failedAssets(shard, [0]) : {}),
    });
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'failed',
      assets: totals(7, 2, 1, 4),
      cause: { code: 'TOO_MANY_FAILURES' },
    });
    expectCalls(run, { openShard: ['0', '1'], endOrphanedChildren: ['2'] });
  });
});

describe('more failures than the run tolerates', () => {
  const tolerate = (more: Partial<Tolerance>): Partial<Plan> => ({
    ...oneByOne,
    tolerate: { failures: 1, of: 'count', onBreach: 'stop', submits: ['make'], ...more },
  });
  /** The second shard fails. */
  const make = (shard: number) => (shard === 1 ? failedAssets(shard, [0, 1]) : {});

  test.each<[string, Partial<Tolerance>, number, string[]]>([
    ['by number', {}, 8, ['0', '1']],
    ['by share', { failures: 10, of: 'percent' }, 8, ['0', '1']],
  ])(
    'too many failures %s stop the run before another shard starts',
    async (_what, more, assets, opened) => {
      const run = await runs.start({ assets, plan: tolerate(more), runStep: make });
      const { status, result, message } = await run.end();
      expect(status).toBe('failed');
      expect(message).toMatch(/^TOO_MANY_FAILURES: 2 of 8 assets failed; /);
      expect(result).toMatchObject({
        outcome: 'failed',
        assets: totals(8, 2, 2, 4),
        cause: { code: 'TOO_MANY_FAILURES', kind: 'never' },
      });
      expectCalls(run, { openShard: opened, endOrphanedChildren: ['2'] });
    },
  );

  test.each<[string, Partial<Tolerance>]>([
    ['number', { failures: 2 }],
    ['share', { failures: 25, of: 'percent' }],
  ])('failures that do not exceed the tolerated %s do not stop the run', async (_what, more) => {
    const run = await runs.start({ assets: 8, plan: tolerate(more), runStep: make });
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(8, 6, 2) });
    expect(result).not.toHaveProperty('cause');
    expectCalls(run, { openShard: ['0', '1', '2', '3'], endOrphanedChildren: [] });
  });

  test('too many failures during discovery stop the run before its first shard', async () => {
    const refusals = [failure('x', 'take'), failure('y', 'take')];
    const run = await runs.start({
      assets: 4,
      plan: tolerate({}),
      found: { total: 6, refused: 2, refusals },
    });
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'failed',
      assets: totals(6, 0, 2, 4),
      cause: { code: 'TOO_MANY_FAILURES' },
    });
    expectCalls(run, { openShard: [], endOrphanedChildren: ['0'] });
  });

  test('the assets of a shard that broke count as failures', async () => {
    const run = await runs.start({
      assets: 6,
      plan: tolerate({}),
      open: () => {
        throw permanentFailure('no manifest');
      },
    });
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'failed',
      assets: totals(6, 0, 2, 4),
      cause: { code: 'TOO_MANY_FAILURES' },
    });
    expectCalls(run, { openShard: ['0'], countShard: ['0'], endOrphanedChildren: ['1'] });
  });

  test('too many failures pause the run once, and after a resume the run continues whatever fails', async () => {
    const run = await runs.start({
      assets: 8,
      plan: tolerate({ onBreach: 'pause' }),
      runStep: (shard) => (shard > 0 ? failedAssets(shard, [0, 1]) : {}),
    });
    const held = await run.waitForProgress('it is paused', ({ state }) => state === 'paused');
    expect(held).toMatchObject({ cause: { code: 'TOO_MANY_FAILURES', kind: 'later' } });
    await run.waitForProgress('the shard is done', ({ shardsDone }) => shardsDone === 2);
    expectCalls(run, { openShard: ['0', '1'] });
    await run.signal('resume');
    const { status, result } = await run.end();
    expect(status).toBe('completed');
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(8, 2, 6) });
    expect(result).not.toHaveProperty('cause');
    expectCalls(run, { openShard: ['0', '1', '2', '3'], endOrphanedChildren: [] });
  });
});

describe('too many failures in a run that waits for changed pictures', () => {
  /** The first shard holds back pictures until they are approved. Meanwhile the second one fails. */
  async function startHeldBack(onBreach: Tolerance['onBreach']) {
    const failing = gate();
    let isApproved = false;
    const run = await runs.start({
      assets: 6,
      plan: { window: 2, tolerate: { failures: 1, of: 'count', onBreach, submits: [] } },
      runStep: async (shard) => {
        if (shard === 0 && !isApproved)
          throw causeFailure({ ...retryLaterCause, code: picturesChangedCode });
        if (shard !== 1) return {};
        await failing.passed;
        return failedAssets(shard, [0, 1]);
      },
    });
    await run.waitForProgress('it asks', ({ cause }) => cause?.code === picturesChangedCode);
    failing.open();
    const failed = await run.waitForProgress('it counts them', (now) => now.totals.failed === 2);
    const approve = async () => {
      isApproved = true;
      await run.handle.signal(messages.resume, undefined, { pictures: 1, rejected: 0 });
    };
    return { run, failed, approve };
  }

  test('the pause for failures is shown first, and approving the pictures does not resume the run', async () => {
    const { run, failed, approve } = await startHeldBack('pause');
    const shown = { state: 'paused', cause: { code: 'TOO_MANY_FAILURES' } };
    expect(failed).toMatchObject(shown);
    await approve();
    expect(await run.progress()).toMatchObject(shown);
    expectCalls(run, { openShard: ['0', '1'] });
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(6, 4, 2) });
  });

  test('too many failures stop the run, which still waits for the pictures and ends after their approval', async () => {
    const { run, failed, approve } = await startHeldBack('stop');
    expect(failed).toMatchObject({ state: 'paused', cause: { code: picturesChangedCode } });
    await approve();
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'failed',
      assets: totals(6, 2, 2, 2),
      cause: { code: 'TOO_MANY_FAILURES' },
    });
  });
});
