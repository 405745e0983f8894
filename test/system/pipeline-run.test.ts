// The result of a run, and the activities that it calls: the real workflows of the run and its shards, with activities
// that only record their input.
import { describe, expect, test } from 'vitest';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import { failure } from '../plan/_steps.ts';
import { causeFailure, type PipelineScenario, usePipelineScenarios } from './_pipeline-scenario.ts';
import {
  expectCalls,
  failedAssets,
  failuresIn,
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

interface Expected {
  outcome: string;
  assets: object;
  /** Key and code of each failure. */
  failures?: string[];
  warnings?: string[];
  message?: RegExp;
  calls: Record<string, string[]>;
}

describe('a run', () => {
  test.each<[string, PipelineScenario, Expected]>([
    [
      'as complete without assets',
      { assets: 0 },
      {
        outcome: 'complete',
        assets: { ...totals(0, 0), new: 0 },
        calls: { discover: [''], openShard: [], endOrphanedChildren: [] },
      },
    ],
    [
      'as complete if all assets are unchanged',
      { assets: 0, found: { total: 3, unchanged: 3 } },
      {
        outcome: 'complete',
        assets: { ...totals(3, 0, 0, 3), new: 0, unchanged: 3 },
        calls: { discover: [''], openShard: [], finalizeAssets: [], endOrphanedChildren: [] },
      },
    ],
    [
      'as failed if all assets were refused',
      {
        assets: 0,
        found: { total: 1, refused: 1, refusals: [failure('x', 'take', 'NAME_CLASH')] },
      },
      {
        outcome: 'failed',
        assets: totals(1, 0, 1),
        failures: ['x NAME_CLASH'],
        message: /^1 of 1 asset failed; the first: x: NAME_CLASH: /,
        calls: { openShard: [], endOrphanedChildren: [] },
      },
    ],
    [
      'as complete after all shards, the last of which is smaller',
      { assets: 5, found: { total: 7, changed: 0, unchanged: 2, warnings: [] } },
      {
        outcome: 'complete',
        assets: { ...totals(7, 5, 0, 2), new: 5, changed: 0, unchanged: 2 },
        calls: {
          discover: [''],
          openShard: ['0', '1', '2'],
          make: ['0: 0 1', '1: 0 1', '2: 0'],
          finalizeAssets: ['0: complete complete', '1: complete complete', '2: complete'],
          countShard: [],
          endOrphanedChildren: [],
          cancelRemoteJobs: [],
        },
      },
    ],
    [
      'as partially failed if some assets fail',
      {
        assets: 4,
        found: { total: 5, refused: 1, refusals: [failure('x', 'take', 'NAME_CLASH')] },
        runStep: (shard) => (shard === 1 ? failedAssets(shard, [1]) : {}),
      },
      {
        outcome: 'partial_failure',
        assets: totals(5, 3, 2),
        failures: ['x NAME_CLASH', '1-1 BAD'],
        calls: {
          finalizeAssets: ['0: complete complete', '1: complete failed'],
          endOrphanedChildren: [],
        },
      },
    ],
    [
      'as failed if all assets fail',
      { assets: 2, runStep: failedAssets },
      {
        outcome: 'failed',
        assets: totals(2, 0, 2),
        failures: ['0-0 BAD', '0-1 BAD'],
        message: /^2 of 2 assets failed; the first: 0-0: BAD: bad$/,
        calls: { finalizeAssets: ['0: failed failed'], endOrphanedChildren: [] },
      },
    ],
    [
      'as complete, with pruned assets counted as skipped',
      { assets: 2, runStep: () => ({ pruned: [1] }) },
      {
        outcome: 'complete',
        assets: totals(2, 1, 0, 1),
        failures: [],
        calls: { finalizeAssets: ['0: complete skipped'] },
      },
    ],
    [
      'with a warning about files that were left out, and a warning about each other run',
      {
        assets: 4,
        found: { warnings: [{ key: 'take', message: 'a file was still changing' }] },
        open: (shard) => ({ assets: [0], takenByOtherRuns: [{ run: 'other', assets: shard + 1 }] }),
      },
      {
        outcome: 'complete',
        assets: totals(5, 2, 0, 3),
        warnings: ['take: a file was still changing', 'other: 3 assets are left to this run'],
        calls: { make: ['0: 0', '1: 0'] },
      },
    ],
    [
      'as partially failed if a shard cannot be opened, with all of its assets counted as failed',
      {
        assets: 4,
        open: (shard) => {
          if (shard === 0) throw permanentFailure('no manifest');
          return undefined;
        },
      },
      {
        outcome: 'partial_failure',
        assets: totals(4, 2, 2),
        failures: ['/shard-0001 SHARD_FAILED no manifest'],
        calls: {
          openShard: ['0', '1'],
          make: ['1: 0 1'],
          countShard: ['0'],
          endOrphanedChildren: [],
        },
      },
    ],
    [
      'as partially failed if a shard breaks, with the results that the shard has written',
      {
        assets: 3,
        finalize: (shard) => {
          if (shard === 0) throw permanentFailure('the disk is gone');
        },
        count: () => ({
          totals: totals(1, 1),
          failures: [],
          reason: 'its last worker said: no space',
        }),
      },
      {
        outcome: 'partial_failure',
        assets: totals(3, 2, 1),
        failures: ['/shard-0001 SHARD_FAILED its last worker said: no space'],
        calls: { finalizeAssets: ['1: complete'], countShard: ['0'] },
      },
    ],
    [
      'as failed if every shard breaks and no written results can be counted',
      {
        assets: 3,
        finalize: () => {
          throw permanentFailure('the disk is gone');
        },
        count: () => {
          throw permanentFailure('the disk is gone');
        },
      },
      {
        outcome: 'failed',
        assets: totals(3, 0, 3),
        failures: [
          '/shard-0001 SHARD_FAILED the disk is gone',
          '/shard-0002 SHARD_FAILED the disk is gone',
        ],
        calls: { finalizeAssets: [], countShard: ['0', '1'] },
      },
    ],
  ])('a run ends %s', async (_what, play, expected) => {
    const run = await runs.start(play);
    const { status, result, message, cause } = await run.end();
    const { run: name } = await run.progress();
    expect(status).toBe(expected.outcome === 'failed' ? 'failed' : 'completed');
    expect(cause).toBeNull();
    expect(result).toMatchObject({ outcome: expected.outcome, assets: expected.assets });
    expect(result).not.toHaveProperty('cause');
    // Shards that break at the same moment are reported in any order.
    if (expected.failures)
      expect(failuresIn(result?.failures, name).sort()).toEqual(expected.failures.toSorted());
    const warnings = result?.warnings?.map(({ key, message }) => `${key}: ${message}`) ?? [];
    expect(warnings).toEqual(
      (expected.warnings ?? []).map((warning) => expect.stringContaining(warning)),
    );
    if (expected.message) expect(message).toMatch(expected.message);
    expectCalls(run, expected.calls);
  });

  test('a run ends with a count of the requests of its discovery and of all shards', async () => {
    const run = await runs.start({ assets: 5 });
    const { result } = await run.end();
    expect(result?.requests).toEqual({ listModels: 1, createModels: 3 });
    const { events } = await run.handle.fetchHistory();
    expect(result?.historyEvents).toBeGreaterThan(events?.length ?? Number.MAX_SAFE_INTEGER);
  });
});

describe('a discovery', () => {
  test.each<[string, () => Error, { cause: RunCause | null; message: RegExp }]>([
    [
      'with a permanent cause',
      () => causeFailure(permanentCause),
      { cause: permanentCause, message: /^NO_RIGHT: it may not\. ask$/ },
    ],
    [
      'with a missing location',
      () => causeFailure({ ...permanentCause, kind: 'not-found' }),
      { cause: { ...permanentCause, kind: 'not-found' }, message: /^NO_RIGHT: / },
    ],
    [
      'with an unexpected error',
      () => permanentFailure('no such folder'),
      { cause: null, message: /Activity task failed/ },
    ],
  ])('a discovery %s ends the run before any shard starts', async (_what, thrown, expected) => {
    const run = await runs.start({
      assets: 2,
      discover: () => {
        throw thrown();
      },
    });
    const { status, result, cause, message } = await run.end();
    expect({ status, result, cause }).toEqual({
      status: 'failed',
      result: null,
      cause: expected.cause,
    });
    expect(message).toMatch(expected.message);
    expect(run.calls).toEqual(['discover']);
    const progress = await run.progress();
    expect(progress).toMatchObject({
      cause: expected.cause,
      discovery: null,
      totals: totals(0, 0),
    });
  });

  test.each<RunCause['kind']>(['later', 'auth'])(
    'a discovery with a cause of kind %s pauses the run until a resume',
    async (kind) => {
      const cause = { ...retryLaterCause, kind };
      const run = await runs.start({
        assets: 2,
        discover: (nth) => {
          if (nth < 2) throw causeFailure(cause);
        },
      });
      for (const times of [1, 2]) {
        await run.waitForCalls('discover', times);
        const held = await run.waitForProgress('it is held', ({ state }) => state === 'paused');
        expect(held).toMatchObject({ state: 'paused', cause, discovery: null });
        expect(run.calls).toHaveLength(times);
        await run.signal('resume');
      }
      const { result } = await run.end();
      expect(result).toMatchObject({ outcome: 'complete', assets: totals(2, 2) });
      expect(result).not.toHaveProperty('cause');
      expectCalls(run, { discover: ['', '', ''], openShard: ['0'] });
    },
  );
});
