// A run of many shards that continues as new, on a real server: no result is lost, and no shard starts twice.
import { describe, expect, test } from 'vitest';
import type { RunProgress } from '../../src/plan/contract/contract.ts';
import type { Plan } from '../../src/plan/types.ts';
import { cancelOrphans } from '../../src/temporal/runs/orphaned-shards.ts';
import { step } from '../plan/_steps.ts';
import { withClient } from '../system/_histories.ts';
import {
  causeFailure,
  connectToTemporal,
  gate,
  type PipelineScenario,
  type PipelineScenarioRun,
  usePipelineScenarios,
} from '../system/_pipeline-scenario.ts';
import {
  expectCalls,
  failedAssets,
  failuresIn,
  retryLaterCause,
  totals,
} from '../system/_scenario-values.ts';
import { waitUntil } from '../system/_stack.ts';
import { useDevServer } from '../system/_temporal.ts';

// The limit is so low that a run of several shards continues as new.
const server = useDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 30 } });
const runs = usePipelineScenarios(() => connectToTemporal(server.env));

/** At most three of the six shards are open at a time. */
const many: Partial<Plan> = { window: 3, inFlight: 1_000 };
const allButFirst = ['0', '1', '2', '3', '4', '5'];

/** Only the first shard is open, and the run has continued as new since that shard started. */
async function withOneLeft(
  make: PipelineScenario['runStep'] = (shard) => failedAssets(shard, [1]),
) {
  const made = gate();
  const run = await runs.start({
    assets: 12,
    plan: many,
    runStep: async (shard, assets) => {
      if (shard !== 0) return {};
      await made.passed;
      return make(shard, assets);
    },
    count: () => ({ totals: totals(0, 0), failures: [], reason: 'terminated by ann: stuck' }),
  });
  await run.waitForProgress('the others are done', ({ shardsDone }) => shardsDone === 5);
  await waitUntil('it has continued', async () => (await run.executions()) > 1);
  return { run, made };
}

const isDone = (run: PipelineScenarioRun) => async () =>
  (await run.handle.describe()).status.name !== 'RUNNING';

describe('a run of many shards', () => {
  test('a run continues as new while a shard is open, and counts that shard when it ends', async () => {
    const { run, made } = await withOneLeft();
    made.open();
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'partial_failure',
      assets: totals(12, 11, 1),
      requests: { listModels: 1, createModels: 6 },
    });
    expect(failuresIn(result?.failures)).toEqual(['0-1 BAD']);
    expectCalls(run, { discover: [''], openShard: allButFirst, endOrphanedChildren: [] });
  });

  test('a run that is cancelled cancels its open shard and waits for its end', async () => {
    const { run, made } = await withOneLeft();
    await run.handle.cancel();
    await run.waitForCancel(run.shard(0));
    expect(await isDone(run)()).toBe(false);
    made.open();
    expect((await run.end()).status).toBe('cancelled');
    expect((await run.shard(0).describe()).status.name).toBe('CANCELLED');
  });

  test('a run reports that an open shard was terminated, including by whom and why', async () => {
    const { run, made } = await withOneLeft();
    await run.shard(0).terminate('stuck');
    const { result } = await run.end();
    made.open();
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(12, 10, 2) });
    expect(failuresIn(result?.failures, result?.run)).toEqual([
      '/shard-0001 SHARD_FAILED terminated by ann: stuck',
    ]);
    expect(new Set(run.callsOf('listClosedShards'))).toEqual(new Set(['0']));
  });

  test('a run reports that an open shard was cancelled manually', async () => {
    const { run, made } = await withOneLeft(() => {
      throw causeFailure(retryLaterCause);
    });
    await run.shard(0).cancel();
    await run.waitForCancel(run.shard(0));
    made.open();
    const { result } = await run.end();
    expect(failuresIn(result?.failures, result?.run).at(-1)).toBe('/shard-0001 SHARD_CANCELLED');
  });

  test('a paused run stays paused when a large number of signals makes it continue as new', async () => {
    const isPaused = ({ state }: RunProgress) => state === 'paused';
    const { run, made } = await withOneLeft();
    await run.signal('pause');
    const before = await run.executions();
    for (let told = 0; told < 12; told += 1) await run.signal('pause');
    for (let told = 0; told < 12; told += 1) await run.signal('approve');
    await waitUntil('it has continued', async () => (await run.executions()) > before);
    await run.waitForProgress('it is paused', isPaused);
    made.open();
    await run.signal('resume');
    expect((await run.end()).result).toMatchObject({ assets: totals(12, 11, 1) });
  });

  test('a run asks for approval only once, even if it continues as new before the approval', async () => {
    const notify = [{ url: 'https://a.example/in', secretFrom: 'HOOK', on: ['waiting'] }];
    const canary = { assets: 2, timeoutMs: 3_600_000 };
    const run = await runs.start({ assets: 12, plan: { ...many, notify, canary } });
    const asks = await run.waitForProgress('it asks', (now) => now.canary?.state === 'waiting');
    for (let told = 0; told < 24; told += 1) await run.signal('resume');
    await waitUntil('it has continued', async () => (await run.executions()) > 1);
    const still = await run.waitForProgress('it asks', (now) => now.canary?.state === 'waiting');
    expect(still.canary).toEqual(asks.canary);
    await run.signal('approve');
    expect((await run.end()).result).toMatchObject({ outcome: 'complete', assets: totals(12, 12) });
    expect(run.callsOf('sendNotice')).toEqual(['waiting CANARY_WAITING 12 2 0 0']);
  });

  test('if a run is terminated, a worker cancels the shard that is still open', async () => {
    const { run, made } = await withOneLeft();
    await withClient(server.env, async ({ client }) => {
      const { taskQueue } = await run.handle.describe();
      expect(await cancelOrphans(client, taskQueue)).toEqual([]);
      await run.handle.terminate('the wrong folder');
      const shard = run.shard(0).workflowId;
      await waitUntil('it is found', async () => {
        return (await cancelOrphans(client, taskQueue)).includes(shard);
      });
      made.open();
      await waitUntil('it has ended', async () => {
        return (await run.shard(0).describe()).status.name === 'CANCELLED';
      });
    });
  });
});

describe('a run whose notification receivers are unreachable', () => {
  test('a run with unreachable receivers opens further shards even if earlier shards still have notices to send', async () => {
    const told = gate();
    const tell = step('tell', ['make'], {
      activity: 'export',
      isSideStep: true,
      startToCloseMs: 3_600_000,
      heartbeatMs: 3_600_000,
    });
    const run = await runs.start({
      assets: 24,
      plan: { window: 4, inFlight: 1_000, steps: [step('make'), tell] },
      sideStep: () => told.passed,
    });
    await run.waitForProgress('all are begun', ({ openShards }) => openShards.length === 12);
    expect(await run.executions()).toBeGreaterThan(1);
    told.open();
    expect((await run.end()).result).toMatchObject({ outcome: 'complete', assets: totals(24, 24) });
  }, 180_000);
});
