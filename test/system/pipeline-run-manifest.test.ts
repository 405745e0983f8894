// When a run writes its manifests, and what happens if it cannot: the real workflow, with activities that only record
// their input.
import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { type PipelineScenario, usePipelineScenarios } from './_pipeline-scenario.ts';
import { failedAssets, manifest, permanentFailure, totals } from './_scenario-values.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const runs = usePipelineScenarios(() => {
  const { client, nativeConnection } = inUse.environment;
  return { client, connection: nativeConnection };
});

const notify = [
  {
    url: 'https://example.com',
    secretFrom: 'S',
    on: ['complete', 'partial', 'failed', 'cancelled'],
  },
];
const listed: PipelineScenario = { assets: 3, plan: { notify, manifests: [manifest] } };
/** A failure that is retried immediately, so that no test waits. */
const away = () =>
  ApplicationFailure.create({ message: 'the store is away', type: 'AWAY', nextRetryDelay: 1 });

describe('a run with a manifest', () => {
  test('a run writes its manifest after all files are delivered and withdrawn, and before the notice of its end', async () => {
    const run = await runs.start({ ...listed, found: { withdraws: 1 } });
    expect((await run.end()).result).toMatchObject({ outcome: 'complete', assets: totals(3, 3) });
    await run.waitForCalls('sendNotice', 1);
    const order = run.calls.filter((call) => /^(?:withdraw|writeManifests|sendNotice)/.test(call));
    expect(order).toEqual([
      'withdraw',
      'writeManifests manifest.csv',
      expect.stringMatching(/^sendNotice complete/),
    ]);
  });

  test('a run writes its manifest even if nothing has changed', async () => {
    const run = await runs.start({ ...listed, assets: 0 });
    await run.end();
    expect(run.callsOf('writeManifests')).toEqual(['manifest.csv']);
  });

  test('a run writes its manifest even if assets have failed', async () => {
    const run = await runs.start({ ...listed, runStep: (shard) => failedAssets(shard, [0]) });
    await run.end();
    expect(run.callsOf('writeManifests')).toEqual(['manifest.csv']);
  });

  test('a run warns about files that the zips of its manifest lack', async () => {
    const lacks = { key: 'deliver', message: 'all.zip lacks a.png' };
    const run = await runs.start({ ...listed, writeManifests: () => [lacks] });
    expect((await run.end()).result).toMatchObject({ outcome: 'complete', warnings: [lacks] });
  });

  test('a run retries its manifest while the store cannot be reached', async () => {
    const run = await runs.start({
      ...listed,
      writeManifests: (nth) => {
        if (nth < 10) throw away();
      },
    });
    expect((await run.end()).result).toMatchObject({ outcome: 'complete' });
    expect(run.callsOf('writeManifests')).toHaveLength(10);
  });
});

describe('a run whose manifest cannot be written', () => {
  test('a run fails with a fix if its manifest cannot be written in twenty attempts', async () => {
    const run = await runs.start({
      ...listed,
      writeManifests: () => {
        throw away();
      },
    });
    const { status, result } = await run.end();
    expect(status).toBe('failed');
    expect(result).toMatchObject({
      outcome: 'failed',
      assets: totals(3, 3),
      cause: {
        code: 'MANIFEST_UNWRITTEN',
        message: expect.stringContaining('AWAY: the store is away') as string,
        fix: expect.stringContaining('run the pipeline again') as string,
      },
    });
    expect(run.callsOf('writeManifests')).toHaveLength(20);
    await run.waitForCalls('sendNotice', 1);
    expect(run.callsOf('sendNotice')).toEqual([
      expect.stringMatching(/^failed MANIFEST_UNWRITTEN 3 3/),
    ]);
  });

  test('a stopped run fails with its own cause, and warns about its manifest', async () => {
    const tolerate = { failures: 0, of: 'count', onBreach: 'stop', submits: ['make'] } as const;
    const run = await runs.start({
      assets: 2,
      plan: { ...listed.plan, tolerate: { ...tolerate, submits: ['make'] } },
      runStep: (shard) => failedAssets(shard, [0]),
      writeManifests: () => {
        throw permanentFailure('no such table');
      },
    });
    expect((await run.end()).result).toMatchObject({
      cause: { code: 'TOO_MANY_FAILURES' },
      warnings: [{ key: 'deliver', message: expect.stringContaining('no such table') as string }],
    });
  });
});

test('a run without a manifest, or without assets to list, writes none', async () => {
  const run = await runs.start({ assets: 1 });
  await run.end();
  const unlisted = await runs.start({
    ...listed,
    discover: () => {
      throw permanentFailure('no folder');
    },
  });
  expect((await unlisted.end()).status).toBe('failed');
  for (const one of [run, unlisted]) expect(one.callsOf('writeManifests')).toEqual([]);
});

// This test is the last one: the time of the server does not skip while the cancelled shard is held.
test('a run that is cancelled writes its manifest', async () => {
  let open = () => {};
  const held = new Promise<undefined>((done) => {
    open = () => done(undefined);
  });
  const run = await runs.start({ ...listed, assets: 2, runStep: () => held });
  await run.waitForCalls('make', 1);
  await run.handle.cancel();
  await run.waitForCancel(run.shard(0));
  open();
  expect((await run.end()).status).toBe('cancelled');
  expect(run.callsOf('writeManifests')).toEqual(['manifest.csv']);
});
