// When a run withdraws what is gone, and what it says of it: the real workflow over activities that only tell what they were given.
import { describe, expect, test } from 'vitest';
import { type PipelinePlay, usePlayedPipelines } from './_played-pipeline.ts';
import { broken, failing, totals } from './_played-words.ts';
import { useTimeSkipping } from './_temporal.ts';

const inUse = useTimeSkipping();
const runs = usePlayedPipelines(() => {
  const { client, nativeConnection } = inUse.environment;
  return { client, connection: nativeConnection };
});

const notify = [{ url: 'https://example.com', secretFrom: 'S', on: ['complete', 'failed'] }];
const gone: PipelinePlay = { assets: 3, found: { withdraws: 1 }, plan: { notify } };

describe('a run withdraws', () => {
  test('once all of its assets have ended, and says so in its result and its notice', async () => {
    const run = await runs.start(gone);
    const { result } = await run.end();
    const withdrawn = { assets: 1, archived: 3, deleted: 0 };
    expect(result).toMatchObject({ outcome: 'complete', assets: totals(3, 3), withdrawn });
    expect(await run.progress()).toMatchObject({ withdrawn });
    expect(run.called('withdraw')).toEqual(['']);
    const settled = run.calls.findLastIndex((call) => call.startsWith('settle'));
    expect(run.calls.indexOf('withdraw')).toBeGreaterThan(settled);
    await run.untilCalled('send_notice', 1);
    expect(run.called('send_notice')).toEqual(['complete - 3 3 0 0 withdrawn 3']);
  });

  test('where that is all that there is to do', async () => {
    const run = await runs.start({ ...gone, assets: 0 });
    const { result } = await run.end();
    expect(result).toMatchObject({ assets: totals(0, 0), withdrawn: { assets: 1 } });
  });

  test('when it is resumed', async () => {
    let open = () => {};
    const held = new Promise<undefined>((done) => {
      open = () => done(undefined);
    });
    const run = await runs.start({ ...gone, assets: 2, settle: () => held });
    await run.untilCalled('make', 1);
    await run.tell('pause');
    await run.untilSays('it is paused', ({ state }) => state === 'paused');
    open();
    await run.untilCalled('settle', 1);
    await run.untilSays('its assets have ended', ({ totals: now }) => now.complete === 2);
    expect(run.called('withdraw')).toEqual([]);
    await run.tell('resume');
    expect((await run.end()).result).toMatchObject({ withdrawn: { assets: 1 } });
  });

  test('and ends well where that fails, with a warning', async () => {
    const run = await runs.start({
      ...gone,
      withdraw: () => {
        throw broken('the store is away');
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

describe('a run withdraws nothing', () => {
  test('where nothing is gone', async () => {
    const run = await runs.start({ ...gone, found: {} });
    expect((await run.end()).result).not.toHaveProperty('withdrawn');
    expect(run.called('withdraw')).toEqual([]);
  });

  test('where it was stopped', async () => {
    const tolerate = { failures: 0, of: 'count', onBreach: 'stop', submits: ['make'] } as const;
    const run = await runs.start({
      ...gone,
      plan: { tolerate: { ...tolerate, submits: ['make'] }, window: 1 },
      make: (shard) => failing(shard, [0]),
    });
    expect((await run.end()).status).toBe('failed');
    expect(run.called('withdraw')).toEqual([]);
  });

  test('where it was cancelled meanwhile', async () => {
    let open = () => {};
    const held = new Promise<undefined>((done) => {
      open = () => done(undefined);
    });
    const run = await runs.start({ ...gone, assets: 2, make: () => held });
    await run.untilCalled('make', 1);
    await run.handle.cancel();
    await run.untilCancelling(run.shard(0));
    open();
    expect((await run.end()).status).toBe('cancelled');
    expect(run.called('withdraw')).toEqual([]);
  });
});
