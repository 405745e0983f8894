// A run that is paused, resumed or cancelled in each of its phases, or before it starts: its result, and the activities
// that it calls.
import type { WorkflowHandle } from '@temporalio/client';
import { describe, expect, test } from 'vitest';
import { messages } from '../../src/plan/contract/messages.ts';
import type { Plan } from '../../src/plan/types.ts';
import { failure, step } from '../plan/_steps.ts';
import {
  causeFailure,
  connectToTemporal,
  gate,
  type PipelineScenario,
  type PipelineScenarioRun,
  usePipelineScenarios,
} from './_pipeline-scenario.ts';
import {
  expectCalls,
  manifest,
  oneByOne,
  permanentFailure,
  retryLaterCause,
  totals,
} from './_scenario-values.ts';
import { waitUntil } from './_stack.ts';
import { useTemporal } from './_temporal.ts';

// The time-skipping server refuses to cancel a call that has just ended.
const server = useTemporal();
const runs = usePipelineScenarios(() => connectToTemporal(server.env));

describe('a pause', () => {
  test('a run that is paused during discovery starts no shard until a resume', async () => {
    const found = gate();
    const run = await runs.start({ assets: 4, discover: () => found.passed });
    await run.waitForCalls('discover', 1);
    await run.signal('pause');
    found.open();
    const held = await run.waitForProgress(
      'it has found them',
      ({ discovery }) => discovery !== null,
    );
    expect(held).toMatchObject({
      state: 'paused',
      cause: null,
      totals: totals(4, 0),
      shardsDone: 0,
    });
    expect(run.calls).toEqual(['discover']);
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(4, 4) });
    expectCalls(run, { discover: [''], openShard: ['0', '1'] });
  });

  test('a run that is paused with a shard in progress lets its call end, and starts no other shard', async () => {
    const made = gate();
    const run = await runs.start({
      assets: 4,
      plan: oneByOne,
      runStep: async (shard) => {
        if (shard === 0) await made.passed;
        return undefined;
      },
    });
    await run.waitForCalls('make', 1);
    await run.signal('pause');
    await run.waitForProgress('it is paused', ({ state }) => state === 'paused');
    made.open();
    const held = await run.waitForProgress('a shard is done', ({ shardsDone }) => shardsDone === 1);
    expect(held).toMatchObject({ state: 'paused', openShards: [], totals: totals(4, 2) });
    expectCalls(run, { openShard: ['0'], finalizeAssets: ['0: complete complete'] });
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(4, 4) });
    expectCalls(run, { openShard: ['0', '1'], endOrphanedChildren: [] });
  });

  test('a shard that pauses for a run cause pauses the run, and a resume continues both', async () => {
    let calls = 0;
    const run = await runs.start({
      assets: 4,
      plan: oneByOne,
      runStep: () => {
        calls += 1;
        if (calls === 1) throw causeFailure(retryLaterCause);
        return undefined;
      },
    });
    const held = await run.waitForProgress('it is held', ({ state }) => state === 'paused');
    expect(held).toMatchObject({ cause: retryLaterCause, shardsDone: 0 });
    expectCalls(run, { openShard: ['0'], make: ['0: 0 1'], finalizeAssets: [] });
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(4, 4) });
    expectCalls(run, { make: ['0: 0 1', '0: 0 1', '1: 0 1'] });
  });

  test('a pause reaches a shard that is still opening', async () => {
    const opened = gate();
    const run = await runs.start({
      assets: 2,
      open: async () => {
        await opened.passed;
        return undefined;
      },
    });
    await run.waitForCalls('openShard', 1);
    await run.signal('pause');
    await run.waitForProgress('it is paused', ({ state }) => state === 'paused');
    await waitUntil('the shard has the signal', async () => {
      const { events } = await run.shard(0).fetchHistory();
      return (events ?? []).some(
        ({ workflowExecutionSignaledEventAttributes: signal }) =>
          signal?.signalName === messages.pause,
      );
    });
    opened.open();
    const shardTotal = async () => {
      const { totals: told } = await run
        .shard(0)
        .query<{ totals: { total: number } }>(messages.progress);
      return told.total;
    };
    await expect.poll(shardTotal, { timeout: 60_000 }).toBe(2);
    expectCalls(run, { make: [] });
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(2, 2) });
  });
});

describe('a signal that arrives before the run starts', () => {
  test('a pause that arrives before the run starts holds the run after its discovery', async () => {
    const run = await runs.start({ assets: 2 }, { signal: messages.pause, signalArgs: [] });
    const held = await run.waitForProgress(
      'it has found them',
      ({ discovery }) => discovery !== null,
    );
    expect(held).toMatchObject({ state: 'paused', cause: null });
    expect(run.calls).toEqual(['discover']);
    await run.signal('resume');
    expect((await run.end()).result).toMatchObject({ outcome: 'complete' });
    expectCalls(run, { openShard: ['0'] });
  });

  const canary = { assets: 1, timeoutMs: 3_600_000 };
  test.each<[string, string, unknown[], Partial<Plan>]>([
    ['to resume changes nothing', messages.resume, [], {}],
    ['to approve approves nothing', messages.approve, [], { canary }],
    ['with decisions changes nothing if no asset waits', messages.decide, [], {}],
    [
      'from an unknown shard is ignored',
      messages.shardReport,
      [{ shard: 7, totals: totals(9, 0, 9), steps: {}, failures: [failure('z', 'n')] }],
      { tolerate: { failures: 1, of: 'count', onBreach: 'stop', submits: ['make'] } },
    ],
    [
      'that a shard is detached does not change which shards may start',
      messages.shardDetached,
      [7, true],
      oneByOne,
    ],
  ])('an early signal %s', async (_what, signal, signalArgs, plan) => {
    const run = await runs.start({ assets: 3, plan }, { signal, signalArgs });
    if (plan.canary) {
      const asks = await run.waitForProgress(
        'it asks',
        ({ canary }) => canary?.state === 'waiting',
      );
      expect(asks).toMatchObject({ shardsDone: 1, totals: totals(3, 1) });
      expectCalls(run, { openShard: ['0'] });
      await run.signal('approve');
    }
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(3, 3), failures: [] });
    expectCalls(run, { discover: [''], endOrphanedChildren: [] });
  });
});

describe('a cancellation', () => {
  interface Cancelled {
    progress: object;
    calls: Record<string, string[]>;
  }

  /** Cancels, releases held activities once the cancel has reached them, and checks the end of the run. */
  async function cancelled(
    run: PipelineScenarioRun,
    { progress, calls }: Cancelled,
    held?: { of: readonly WorkflowHandle[]; letGo: () => void },
  ): Promise<void> {
    await run.handle.cancel();
    for (const workflow of held?.of ?? []) await run.waitForCancel(workflow);
    held?.letGo();
    expect(await run.end()).toMatchObject({ status: 'cancelled', result: null, cause: null });
    expect(await run.progress()).toMatchObject({ state: 'cancelling', ...progress });
    expectCalls(run, calls);
  }

  test('a run that is cancelled during discovery starts no shard', async () => {
    const found = gate();
    const run = await runs.start({ assets: 4, discover: () => found.passed });
    await run.waitForCalls('discover', 1);
    const nothing = { progress: { totals: totals(0, 0), discovery: null }, calls: {} };
    await cancelled(run, nothing, { of: [run.handle], letGo: found.open });
    expect(run.calls).toEqual(['discover', 'endOrphanedChildren 0']);
  });

  test('a run that is cancelled while a cause holds its discovery ends', async () => {
    const run = await runs.start({
      assets: 4,
      discover: () => {
        throw causeFailure(retryLaterCause);
      },
    });
    await run.waitForProgress('it is held', ({ state }) => state === 'paused');
    await cancelled(run, {
      progress: { discovery: null },
      calls: { discover: [''], openShard: [], endOrphanedChildren: ['0'] },
    });
  });

  test('a run that is paused before its first shard and then cancelled starts no shard', async () => {
    const run = await runs.start({ assets: 4 }, { signal: messages.pause, signalArgs: [] });
    await run.waitForProgress('it has found', (one) => one.discovery !== null);
    await cancelled(run, {
      progress: { totals: totals(4, 0), shardsDone: 0 },
      calls: { openShard: [], endOrphanedChildren: ['0'] },
    });
  });

  test('a cancelled run lets the calls of its shards end, finalizes their assets and starts no other shard', async () => {
    const made = gate();
    const run = await runs.start({
      assets: 7,
      plan: { window: 2 },
      runStep: async (shard) => {
        if (shard !== 0) await made.passed;
        return undefined;
      },
    });
    await run.waitForCalls('make', 3);
    await cancelled(
      run,
      {
        progress: { totals: totals(7, 6), openShards: [], shardsDone: 3 },
        calls: {
          openShard: ['0', '1', '2'],
          finalizeAssets: ['0: complete complete', '1: complete complete', '2: complete complete'],
          endOrphanedChildren: ['3'],
        },
      },
      { of: [run.shard(1), run.shard(2)], letGo: made.open },
    );
  });

  test('a cancelled run also cancels the platform’s jobs for unfinished assets', async () => {
    const made = gate();
    const run = await runs.start({
      assets: 2,
      runStep: async () => {
        await made.passed;
        throw causeFailure(retryLaterCause);
      },
    });
    await run.waitForCalls('make', 1);
    await cancelled(
      run,
      {
        progress: { totals: totals(2, 0) },
        calls: {
          make: ['0: 0 1'],
          cancelRemoteJobs: ['0: 0 1'],
          finalizeAssets: ['0: cancelled cancelled'],
          endOrphanedChildren: ['1'],
        },
      },
      { of: [run.shard(0)], letGo: made.open },
    );
  });

  test('a paused run that is cancelled ends with its open shard', async () => {
    const run = await runs.start({
      assets: 4,
      plan: oneByOne,
      runStep: () => {
        throw causeFailure(retryLaterCause);
      },
    });
    await run.waitForProgress('it is held', ({ state }) => state === 'paused');
    await cancelled(run, {
      progress: { totals: totals(4, 0), openShards: [] },
      calls: {
        openShard: ['0'],
        cancelRemoteJobs: ['0: 0 1'],
        finalizeAssets: ['0: cancelled cancelled'],
        endOrphanedChildren: ['1'],
      },
    });
  });

  test('a cancelled run reports the cause while results cannot be written, and ends after a resume', async () => {
    let isFull = true;
    const made = gate();
    const run = await runs.start({
      assets: 2,
      runStep: async () => {
        await made.passed;
        return undefined;
      },
      finalize: () => {
        if (isFull) throw causeFailure(retryLaterCause);
      },
    });
    await run.waitForCalls('make', 1);
    await run.handle.cancel();
    await run.waitForCancel(run.shard(0));
    made.open();
    const held = await run.waitForProgress('it says why', ({ cause }) => cause !== null);
    expect(held).toMatchObject({ state: 'cancelling', cause: retryLaterCause });
    isFull = false;
    await run.signal('resume');
    expect(await run.end()).toMatchObject({ status: 'cancelled' });
    expectCalls(run, { finalizeAssets: ['0: complete complete'] });
  });

  test('a run that is cancelled while it waits for approval refuses the canary', async () => {
    const canary = { assets: 2, timeoutMs: 3_600_000 };
    const run = await runs.start({ assets: 6, plan: { canary } });
    await run.waitForProgress('it asks', (one) => one.state === 'paused');
    await cancelled(run, {
      progress: { totals: totals(6, 2), canary: { assets: 2, state: 'refused', until: null } },
      calls: {
        openShard: ['0'],
        finalizeAssets: ['0: complete complete'],
        endOrphanedChildren: ['1'],
      },
    });
  });
});

describe('a late cancellation', () => {
  const notify = [{ url: 'https://a.example/in', secretFrom: 'HOOK', on: ['complete', 'failed'] }];
  const plan = { notify, report: 'reports', manifests: [manifest] };

  test.each<[string, (held: Promise<void>) => Partial<PipelineScenario>, string, RegExp]>([
    ['writeReport', (held) => ({ writeReport: () => held }), 'completed', /^complete - 2 2 /],
    ['writeManifests', (held) => ({ writeManifests: () => held }), 'completed', /^complete - 2 2 /],
    [
      'writeManifests',
      (held) => ({
        writeManifests: () => held,
        discover: (_nth, page) => {
          if (page) throw permanentFailure('gone');
          return { nextDiscoveryPage: 1 };
        },
      }),
      'failed',
      /^failed - 2 2 /,
    ],
  ])(
    'a cancellation during %s, after all assets have ended, changes nothing, and receivers are notified (%#)',
    async (activity, more, status, notice) => {
      const written = gate();
      const run = await runs.start({ assets: 2, plan, ...more(written.passed) });
      await run.waitForCalls(activity, 1);
      await run.handle.cancel();
      written.open();
      const end = await run.end();
      expect(end.status).toBe(status);
      expect(end.result?.warnings).toBeUndefined();
      await run.waitForCalls('sendNotice', 1);
      expect(run.callsOf('sendNotice')).toEqual([expect.stringMatching(notice)]);
    },
  );
});

test('a run whose assets wait for people notifies receivers once, regardless of the number of shards', async () => {
  const notify = [{ url: 'https://a.example/in', secretFrom: 'HOOK', on: ['waiting'] }];
  const steps = [step('make', [], { mode: 'wait', asksPeople: true, batch: 250 })];
  const run = await runs.start({ assets: 4, plan: { notify, steps } });
  await run.waitForCalls('sendNotice', 1);
  expect((await run.end()).result).toMatchObject({ outcome: 'complete' });
  expectCalls(run, { openShard: ['0', '1'] });
  expect(run.callsOf('sendNotice')).toEqual([
    expect.stringMatching(/^waiting APPROVAL_WAITING 4 /),
  ]);
});
