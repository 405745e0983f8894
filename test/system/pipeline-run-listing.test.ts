// A run that lists more assets while shards of the first ones are in progress.
import { describe, expect, test } from 'vitest';
import type { DiscoverResult } from '../../src/plan/contract/contract.ts';
import {
  causeFailure,
  gate,
  type PipelineScenario,
  usePipelineScenarios,
} from './_pipeline-scenario.ts';
import {
  expectCalls,
  failedAssets,
  permanentCause,
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

/** Of five new files, three are on the first discovery page, the others on the second. The third fills no shard yet. */
const firstThree: Partial<DiscoverResult> = {
  pages: 1,
  total: 4,
  new: 3,
  unchanged: 1,
  nextDiscoveryPage: 1,
};
const all: Partial<DiscoverResult> = { pages: 3, total: 6, new: 5, unchanged: 1 };

function listed(
  second: (nth: number) => Promise<Partial<DiscoverResult>> | Partial<DiscoverResult>,
  more: Partial<PipelineScenario> = {},
): PipelineScenario {
  const discover: PipelineScenario['discover'] = (nth, stretch) =>
    stretch ? second(nth) : firstThree;
  return { assets: 5, ...more, discover };
}

describe('a run with several discovery pages', () => {
  test('a run starts shards while it lists the remaining pages', async () => {
    const listing = gate();
    const run = await runs.start(
      listed(async () => {
        await listing.passed;
        return all;
      }),
    );
    const found = await run.waitForProgress(
      'the first shard is done',
      (told) => told.shardsDone === 1,
    );
    expect(found).toMatchObject({
      state: 'running',
      discovery: firstThree,
      totals: totals(4, 2, 0, 1),
    });
    expectCalls(run, { discover: ['', '1'], openShard: ['0'] });
    listing.open();
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'complete',
      assets: { ...totals(6, 5, 0, 1), new: 5, unchanged: 1 },
      requests: { listModels: 2 },
    });
    expectCalls(run, { openShard: ['0', '1', '2'], endOrphanedChildren: [] });
  });

  test('a run reports the refusals of all discovery pages', async () => {
    const refusal = (key: string) => ({
      key,
      node: 'take',
      code: 'KEY_CLASH',
      message: 'no',
      attempts: 1,
    });
    const refusals = [refusal('a'), refusal('b')];
    const run = await runs.start({
      assets: 2,
      discover: (_nth, stretch) =>
        stretch
          ? { total: 4, refused: 2, refusals }
          : {
              total: 1,
              new: 0,
              pages: 0,
              refused: 1,
              refusals: refusals.slice(0, 1),
              nextDiscoveryPage: 1,
            },
    });
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'partial_failure', assets: totals(4, 2, 2) });
    expect(result?.failures.map(({ key }) => key)).toEqual(['a', 'b']);
  });

  test('a cause on a later page pauses the run, which continues the listing after a resume', async () => {
    const run = await runs.start(
      listed((nth) => {
        if (nth === 1) throw causeFailure(retryLaterCause);
        return all;
      }),
    );
    await run.waitForProgress(
      'it is paused',
      ({ state, cause }) => state === 'paused' && cause !== null,
    );
    await run.signal('resume');
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(6, 5, 0, 1) });
    expectCalls(run, { discover: ['', '1', '1'] });
  });

  test.each([
    ['a permanent cause', () => causeFailure(permanentCause), permanentCause],
    ['an error', () => permanentFailure('gone'), null],
  ])(
    'a run finishes its shards and then fails if %s ends its listing',
    async (_what, thrown, cause) => {
      const run = await runs.start(
        listed(() => {
          throw thrown();
        }),
      );
      const end = await run.end();
      expect(end).toMatchObject({ status: 'failed', cause });
      expectCalls(run, { openShard: ['0'], finalizeAssets: ['0: complete complete'] });
    },
  );

  test('a run stops listing when it is cancelled', async () => {
    const listing = gate();
    const run = await runs.start(
      listed(async () => {
        await listing.passed;
        return all;
      }),
    );
    await run.waitForCalls('discover', 2);
    // The time-skipping server never ends a call that responds while it is being cancelled.
    await run.waitForProgress('the first shard is done', ({ shardsDone }) => shardsDone === 1);
    await run.handle.cancel();
    await run.waitForCancel(run.handle);
    listing.open();
    expect(await run.end()).toMatchObject({ status: 'cancelled' });
  });

  test('a run stops listing after too many failures, with a warning', async () => {
    const listing = gate();
    const run = await runs.start(
      listed(
        async () => {
          await listing.passed;
          return { ...all, nextDiscoveryPage: 2 };
        },
        {
          runStep: (shard) => failedAssets(shard, [0, 1]),
          plan: { tolerate: { failures: 1, of: 'count', onBreach: 'stop', submits: ['make'] } },
        },
      ),
    );
    await run.waitForProgress('it has stopped', ({ cause }) => cause !== null);
    listing.open();
    const { result } = await run.end();
    expect(result).toMatchObject({ outcome: 'failed', assets: totals(6, 0, 2, 4) });
    expect(result?.warnings).toEqual([
      { key: 'take', message: expect.stringContaining('6 files so far') as string },
    ]);
    expectCalls(run, { discover: ['', '1'], openShard: ['0'] });
  });
});
