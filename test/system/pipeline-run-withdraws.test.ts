// When a run withdraws products, and how it reports them: the real workflow, with activities that record their input.
import { describe, expect, test } from 'vitest';
import { type PipelineScenario, usePipelineScenarios } from './_pipeline-scenario.ts';
import { failedAssets, permanentFailure, totals } from './_scenario-values.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const runs = usePipelineScenarios(() => {
  const { client, nativeConnection } = inUse.environment;
  return { client, connection: nativeConnection };
});

const notify = [{ url: 'https://example.com', secretFrom: 'S', on: ['complete', 'failed'] }];
const gone: PipelineScenario = { assets: 3, found: { withdraws: 1 }, plan: { notify } };

describe('a run with missing products', () => {
  test('a run withdraws products after all of its assets have ended, and reports them in its result and its notice', async () => {
    const run = await runs.start(gone);
    const { result } = await run.end();
    const withdrawn = { assets: 1, archived: 3, deleted: 0 };
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(3, 3), withdrawn });
    expect(await run.progress()).toMatchObject({ withdrawn });
    expect(run.callsOf('withdraw')).toEqual(['']);
    const settled = run.calls.findLastIndex((call) => call.startsWith('finalizeAssets'));
    expect(run.calls.indexOf('withdraw')).toBeGreaterThan(settled);
    await run.waitForCalls('sendNotice', 1);
    expect(run.callsOf('sendNotice')).toEqual(['complete - 3 3 0 0 withdrawn 3']);
  });

  test('a run withdraws products even if there is nothing else to do', async () => {
    const run = await runs.start({ ...gone, assets: 0 });
    const { result } = await run.end();
    expect(result).toMatchObject({ assets: totals(0, 0), withdrawn: { assets: 1 } });
  });

  test('a paused run withdraws products only after it is resumed', async () => {
    let open = () => {};
    const held = new Promise<undefined>((done) => {
      open = () => done(undefined);
    });
    const run = await runs.start({ ...gone, assets: 2, finalize: () => held });
    await run.waitForCalls('make', 1);
    await run.signal('pause');
    await run.waitForProgress('it is paused', ({ state }) => state === 'paused');
    open();
    await run.waitForCalls('finalizeAssets', 1);
    await run.waitForProgress('its assets have ended', ({ totals: now }) => now.complete === 2);
    expect(run.callsOf('withdraw')).toEqual([]);
    await run.signal('resume');
    expect((await run.end()).result).toMatchObject({ withdrawn: { assets: 1 } });
  });

  test('a run whose withdrawal fails ends with a warning', async () => {
    const run = await runs.start({
      ...gone,
      withdraw: () => {
        throw permanentFailure('the store is away');
      },
    });
    const { result } = await run.end();
    expect(result).toMatchObject({
      outcome: 'complete',
      warnings: [{ message: expect.stringContaining('the store is away') }],
    });
    expect(result).not.toHaveProperty('withdrawn');
  });
});

describe('a run without a withdrawal', () => {
  test('a run withdraws nothing if nothing is missing', async () => {
    const run = await runs.start({ ...gone, found: {} });
    expect((await run.end()).result).not.toHaveProperty('withdrawn');
    expect(run.callsOf('withdraw')).toEqual([]);
  });

  test('a run that was stopped withdraws nothing', async () => {
    const tolerate = { failures: 0, of: 'count', onBreach: 'stop', submits: ['make'] } as const;
    const run = await runs.start({
      ...gone,
      plan: { tolerate: { ...tolerate, submits: ['make'] }, window: 1 },
      runStep: (shard) => failedAssets(shard, [0]),
    });
    expect((await run.end()).status).toBe('failed');
    expect(run.callsOf('withdraw')).toEqual([]);
  });

  test('a run that has been cancelled withdraws nothing', async () => {
    let open = () => {};
    const held = new Promise<undefined>((done) => {
      open = () => done(undefined);
    });
    const run = await runs.start({ ...gone, assets: 2, runStep: () => held });
    await run.waitForCalls('make', 1);
    await run.handle.cancel();
    await run.waitForCancel(run.shard(0));
    open();
    expect((await run.end()).status).toBe('cancelled');
    expect(run.callsOf('withdraw')).toEqual([]);
  });
});
