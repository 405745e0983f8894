// Runs that continue as new, whose shards are terminated, or that notify receivers. They need a real server, since the
// time-skipping one supports none of these.
import { Worker } from '@temporalio/worker';
import { describe, expect, inject, test } from 'vitest';
import { workflowNames } from '../../src/plan/contract/contract.ts';
import { messages } from '../../src/plan/contract/messages.ts';
import type { Plan } from '../../src/plan/types.ts';
import { runContext } from '../engine/_context.ts';
import { failure, step } from '../plan/_steps.ts';
import type { FakeActivities } from './_fake-activities.ts';
import {
  causeFailure,
  connectToTemporal,
  gate,
  type PipelineScenario,
  usePipelineScenarios,
} from './_pipeline-scenario.ts';
import { planOf } from './_run-scenario.ts';
import {
  expectCalls,
  failedAssets,
  failuresIn,
  permanentCause,
  retryLaterCause,
  totals,
} from './_scenario-values.ts';
import { waitUntil } from './_stack.ts';
import { useDevServer } from './_temporal.ts';

// A low limit, so that a run of several shards continues as new.
const server = useDevServer({ dynamicConfig: { 'limit.historyCount.suggestContinueAsNew': 20 } });
const runs = usePipelineScenarios(() => connectToTemporal(server.env));

describe('a run near its history limit', () => {
  const ofTwo: Partial<Plan> = { window: 2 };

  test('a run near its history limit continues as new between its shards, and its result covers all executions', async () => {
    const run = await runs.start({
      assets: 12,
      plan: ofTwo,
      found: { total: 15, unchanged: 2, refused: 1, refusals: [failure('x', 'take')] },
      runStep: (shard) => (shard === 1 || shard === 4 ? failedAssets(shard, [0]) : {}),
      open: (shard) =>
        shard === 2 ? { assets: [1], takenByOtherRuns: [{ run: 'other', assets: 1 }] } : {},
    });
    const { result } = await run.end();
    expect(await run.executions()).toBeGreaterThan(1);
    expect(result).toMatchObject({
      outcome: 'partial_failure',
      assets: { ...totals(15, 9, 3, 3), new: 12, unchanged: 2 },
      requests: { listModels: 1, createModels: 6 },
      warnings: [{ key: 'other' }],
    });
    expect(failuresIn(result?.failures).toSorted()).toEqual(['1-0 BAD', '4-0 BAD', 'x BROKEN']);
    expectCalls(run, {
      discover: [''],
      openShard: ['0', '1', '2', '3', '4', '5'],
      make: ['0: 0 1', '1: 0 1', '2: 1', '3: 0 1', '4: 0 1', '5: 0 1'],
      endOrphanedChildren: [],
    });
  });

  test('a run that continues as new continues its listing at the same page', async () => {
    const run = await runs.start({
      assets: 12,
      plan: ofTwo,
      discover: (_nth, stretch = 0) => {
        const assets = 2 * (stretch + 1);
        const so = { pages: stretch + 1, total: assets, new: assets };
        return stretch < 5 ? { ...so, nextDiscoveryPage: stretch + 1 } : so;
      },
    });
    const { result } = await run.end();
    expect(await run.executions()).toBeGreaterThan(1);
    expect(result).toMatchObject({ outcome: 'complete', assets: { ...totals(12, 12), new: 12 } });
    expectCalls(run, {
      discover: ['', '1', '2', '3', '4', '5'],
      openShard: ['0', '1', '2', '3', '4', '5'],
    });
  });

  test('a run continues as new while a shard is in progress, and gets the result of the shard', async () => {
    const made = gate();
    const run = await runs.start({
      assets: 8,
      plan: ofTwo,
      runStep: async (shard) => {
        if (shard === 0) await made.passed;
        return undefined;
      },
    });
    await run.waitForCalls('make', 2);
    // Each signal adds a few events.
    for (let told = 0; told < 10; told += 1) await run.signal('resume');
    await waitUntil('it has continued as new', async () => (await run.executions()) > 1);
    made.open();
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(8, 8) });
    expectCalls(run, { discover: [''], openShard: ['0', '1', '2', '3'] });
  });

  test('a run that continues as new remembers the approval, and that its failures exceeded the tolerance', async () => {
    const run = await runs.start({
      assets: 12,
      plan: {
        window: 1,
        canary: { assets: 2, timeoutMs: 3_600_000 },
        tolerate: { failures: 1, of: 'count', onBreach: 'pause', submits: ['make'] },
      },
      runStep: (shard) => (shard > 1 ? failedAssets(shard, [0, 1]) : {}),
    });
    await run.waitForProgress('it asks', ({ canary }) => canary?.state === 'waiting');
    await run.signal('approve');
    await run.waitForProgress(
      'too much failed',
      ({ cause }) => cause?.code === 'TOO_MANY_FAILURES',
    );
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(12, 4, 8) });
    expect(await run.executions()).toBeGreaterThan(1);
    expectCalls(run, { discover: [''], openShard: ['0', '1', '2', '3', '4', '5'] });
  });
});

describe('a shard near its history limit', () => {
  test('a shard is cancelled even if the cancellation arrives when the shard is about to continue as new', async () => {
    const { client, connection, close } = await connectToTemporal(server.env);
    const taskQueue = 'workflows-that-stop';
    const [made, folding, folded] = [gate(), gate(), gate()];
    const report = {
      done: [0],
      pruned: [],
      failed: [],
      retry: [],
      pages: [],
      reportedFailures: [],
      requests: {},
    };
    const activities: FakeActivities = {
      openShard: async () => ({
        assets: [0],
        keys: ['a'],
        complete: [],
        takenByOtherRuns: [],
        pages: [],
      }),
      template_match: async () => made.passed.then(() => report),
      compactPages: async () => {
        folding.open();
        await folded.passed;
        return { pages: [] };
      },
      finalizeAssets: async () => undefined,
      cancelRemoteJobs: async () => ({ pages: [], requests: {} }),
    };
    const worker = await Worker.create({ connection, taskQueue, activities });
    const withWorkflows = () => {
      const workflowBundle = { codePath: inject('workflowBundle') };
      return Worker.create({ connection, taskQueue, workflowBundle, maxCachedWorkflows: 0 });
    };
    const plan = planOf('/nowhere', [step('make', []), step('again', ['make'])]);
    const context = runContext({ run: 'apart' });
    await worker.runUntil(async () => {
      const handle = await client.workflow.start(workflowNames.shard, {
        taskQueue,
        workflowId: 'apart',
        args: [{ plan, context, shard: 0, parent: 'apart-run', paused: false }],
      });
      const first = await withWorkflows();
      await first.runUntil(async () => {
        for (let sent = 0; sent < 10; sent += 1) await handle.signal(messages.resume);
        made.open();
        await folding.passed;
      });
      folded.open();
      await waitUntil('nothing is under way', async () => {
        const { raw } = await handle.describe();
        return (raw.pendingActivities ?? []).length === 0;
      });
      await handle.cancel();
      const second = await withWorkflows();
      await second.runUntil(() => handle.result().catch(() => undefined));
      expect((await handle.describe()).status.name).toBe('CANCELLED');
    });
    await close?.();
  });
});

describe('search attributes and notices', () => {
  const outcomes = ['complete', 'partial_failure', 'failed', 'cancelled'];
  const notify = [
    { url: 'https://a.example/in', secretFrom: 'HOOK', on: [...outcomes, 'waiting'] },
  ];
  const input = { searchable: true };
  const ended = (outcome: string, failed: string[] = [], models: string[] = []) => ({
    RenderlineOutcome: outcome,
    RenderlineFailedKeys: failed,
    RenderlineFailedModels: models,
  });

  test.each<[string, PipelineScenario, object, string]>([
    ['complete', { assets: 2 }, ended('complete'), 'complete - 2 2 0 0'],
    [
      'partially complete',
      {
        assets: 2,
        runStep: (shard) => {
          const { reportedFailures: told = [], ...report } = failedAssets(shard, [0]);
          return { ...report, reportedFailures: told.map((one) => ({ ...one, modelId: 'm-1' })) };
        },
      },
      ended('partial_failure', ['0-0'], ['m-1']),
      'partial_failure - 2 1 1 0',
    ],
    [
      'failed because all assets failed',
      { assets: 1, runStep: failedAssets },
      ended('failed', ['0-0']),
      'failed - 1 0 1 0',
    ],
    [
      'failed because nothing could be discovered',
      {
        assets: 1,
        discover: () => {
          throw causeFailure(permanentCause);
        },
      },
      ended('failed'),
      'failed NO_RIGHT 0 0 0 0',
    ],
  ])(
    'search attributes and notices report a run that is %s',
    async (_what, play, attributes, notice) => {
      const run = await runs.start({ ...play, plan: { notify }, input });
      await run.end();
      await run.waitForCalls('sendNotice', 1);
      expect(run.callsOf('sendNotice')).toEqual([notice]);
      expect((await run.attributes()).at(-1)).toEqual(attributes);
    },
  );

  test('search attributes and notices report a run that is paused and then cancelled', async () => {
    const run = await runs.start(
      { assets: 4, plan: { notify }, input },
      { signal: messages.pause, signalArgs: [] },
    );
    await run.waitForProgress('it has found', ({ discovery }) => discovery !== null);
    await run.handle.cancel();
    expect((await run.end()).status).toBe('cancelled');
    await run.waitForCalls('sendNotice', 1);
    expect(run.callsOf('sendNotice')).toEqual(['cancelled - 4 0 0 0']);
    expect(await run.attributes()).toEqual([{ RenderlineOutcome: 'paused' }, ended('cancelled')]);
  });
});

describe('a shard of a run', () => {
  test('a shard that is cancelled alone fails with SHARD_CANCELLED', async () => {
    const held = gate();
    const run = await runs.start({
      assets: 4,
      runStep: async (shard) => {
        if (shard !== 0) return undefined;
        await held.passed;
        throw causeFailure(retryLaterCause);
      },
    });
    await run.waitForCalls('make', 2);
    await run.shard(0).cancel();
    await run.waitForCancel(run.shard(0));
    held.open();
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(4, 2, 2) });
    expect(failuresIn(result?.failures, result?.run)).toEqual(['/shard-0001 SHARD_CANCELLED']);
  });

  test('a shard that is terminated fails with SHARD_FAILED and the reason', async () => {
    const held = gate();
    const run = await runs.start({
      assets: 4,
      runStep: async (shard) => {
        if (shard === 0) await held.passed;
        return undefined;
      },
      count: () => ({ totals: totals(0, 0), failures: [], reason: 'terminated by ann: stuck' }),
    });
    await run.waitForCalls('make', 2);
    await run.shard(0).terminate('stuck');
    const end = run.end();
    await run.waitForCalls('countShard', 1);
    held.open();
    const { result } = await end;
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(4, 2, 2) });
    expect(failuresIn(result?.failures, result?.run)).toEqual([
      '/shard-0001 SHARD_FAILED terminated by ann: stuck',
    ]);
    expectCalls(run, {
      countShard: ['0'],
      finalizeAssets: ['1: complete complete'],
      endOrphanedChildren: [],
    });
  });
});
