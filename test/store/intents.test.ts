import { describe, expect, it } from 'vitest';
import { idRules } from '../../src/features/run-store.ts';
import { findCreatedIds } from '../../src/store/calls/created-ids.ts';
import type { NewIntent } from '../../src/store/calls/intents.ts';
import { DamagedObjectError } from '../../src/store/objects/json-objects.ts';
import { MemoryBucket } from '../connectors/_memory-connector.ts';
import { colorway, inCell, view } from '../plan/_cells.ts';
import { storesOver } from './_store.ts';

function intentOf(key: string, more: Partial<NewIntent> = {}): NewIntent {
  return {
    operation: 'createRenders',
    key,
    bodyText: '{"projectIds":["p1"]}',
    assets: ['one'],
    createdAt: '2026-03-01T10:00:00.000Z',
    ...more,
  };
}

describe('an intent', () => {
  it('an intent is stored once, with the exact bytes of the body', async () => {
    const intents = storesOver()('a').intents(0, 'shots');
    const first = await intents.open(intentOf('k', { bodyText: '{"a": 1}', params: { id: 'x' } }));
    expect(first).toMatchObject({
      isExisting: false,
      intent: { state: 'open', bodyText: '{"a": 1}' },
    });
    const second = await intents.open(intentOf('k', { bodyText: 'other bytes' }));
    expect(second).toEqual({ isExisting: true, intent: first.intent });
    expect(await intents.list()).toEqual([first.intent]);
  });

  it('an intent is created by exactly one of 20 concurrent calls', async () => {
    const stores = storesOver();
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        stores('a')
          .intents(0, 'shots')
          .open(intentOf('k', { bodyText: `${index}` })),
      ),
    );
    expect(begun.filter(({ isExisting }) => !isExisting)).toHaveLength(1);
    expect(new Set(begun.map(({ intent }) => intent.bodyText)).size).toBe(1);
  });

  it('an intent keeps its first result', async () => {
    const intents = storesOver()('a').intents(0, 'shots');
    await intents.open(intentOf('k'));
    const done = await intents.finish('k', { one: { jobId: 'j' } });
    expect(done).toMatchObject({ state: 'done', result: { one: { jobId: 'j' } } });
    expect(await intents.finish('k', { one: { jobId: 'other' } })).toEqual(done);
    expect((await intents.open(intentOf('k'))).intent).toEqual(done);
  });

  it('an intent can be abandoned even when it is done, and stays abandoned', async () => {
    const intents = storesOver()('a').intents(0, 'shots');
    await intents.open(intentOf('k'));
    await intents.finish('k', { one: { modelId: 'm' } });
    await intents.abandon('k');
    expect(await intents.finish('k', {})).toMatchObject({ state: 'abandoned' });
    expect(await intents.list()).toMatchObject([{ state: 'abandoned' }]);
  });

  it('an intent keeps the time at which its outcome became ambiguous, even when it is done or refused', async () => {
    const intents = storesOver()('a').intents(0, 'shots');
    const { createdAt } = (await intents.open(intentOf('k'))).intent;
    expect(await intents.markAmbiguous('k')).toMatchObject({
      state: 'open',
      ambiguousSince: createdAt,
    });
    expect(await intents.markAmbiguous('k')).toMatchObject({
      state: 'open',
      ambiguousSince: createdAt,
    });
    expect(await intents.finish('k', {})).toMatchObject({
      state: 'done',
      ambiguousSince: createdAt,
    });
    const before = '2026-03-01T09:00:00.000Z';
    await intents.open(intentOf('inherited', { ambiguousSince: before }));
    expect(await intents.markAmbiguous('inherited')).toMatchObject({ ambiguousSince: before });
    expect(await intents.refuse('inherited')).toMatchObject({
      state: 'refused',
      ambiguousSince: before,
    });
  });

  it('an intent that disappears during its call pauses the run, so that the call is not sent again', async () => {
    const bucket = new MemoryBucket();
    const intents = storesOver(bucket)('a').intents(0, 'shots');
    await intents.open(intentOf('k'));
    bucket.files.clear();
    await expect(intents.finish('k', {})).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      message: expect.stringMatching(/intent of a call is missing: \S+\.json in /),
    });
  });

  it('an intent belongs to its run, shard and step', async () => {
    const stores = storesOver();
    await stores('a').intents(0, 'shots').open(intentOf('k'));
    expect(await stores('a').intents(1, 'shots').list()).toEqual([]);
    expect(await stores('a').intents(0, 'shots.project').list()).toEqual([]);
    expect(await stores('b').intents(0, 'shots').list()).toEqual([]);
    expect(await stores('a').intents(0, 'shots').list()).toHaveLength(1);
  });

  it('intents are listed in order of age, oldest first', async () => {
    const intents = storesOver()('a').intents(0, 'shots');
    for (const [key, second] of [
      ['k1', '05'],
      ['k2', '01'],
      ['k3', '03'],
    ] as const) {
      await intents.open(intentOf(key, { createdAt: `2026-03-01T10:00:${second}.000Z` }));
    }
    expect((await intents.list()).map(({ key }) => key)).toEqual(['k2', 'k3', 'k1']);
  });

  it('a damaged intent is an error, since its call may have been sent', async () => {
    const bucket = new MemoryBucket();
    const intents = storesOver(bucket)('a').intents(0, 'shots');
    await intents.open(intentOf('k'));
    for (const file of bucket.files.values()) file.bytes = Buffer.from('{');
    await expect(intents.list()).rejects.toThrow(DamagedObjectError);
    await expect(intents.open(intentOf('k'))).rejects.toThrow(/not valid JSON; restore the file/);
  });
});

describe('intents of the shards that assets were taken over from', () => {
  async function takenOver() {
    const stores = storesOver();
    const before = stores('old').intents(7, 'shots');
    await before.open(intentOf('open'));
    await before.open(intentOf('done'));
    await before.finish('done', { one: { jobId: 'j' } });
    const store = stores('new');
    await store.writeOrigins(0, [
      { run: 'old', shard: 7 },
      { run: 'old', shard: 7 },
    ]);
    return { before, now: store.intents(0, 'shots') };
  }

  it('the intents are listed while they are open, and after this run has ended them', async () => {
    const { before, now } = await takenOver();
    expect((await now.list()).map(({ key }) => key)).toEqual(['open']);
    await now.finish('open', { one: { jobId: 'j2' } });
    // Another batch of the same run must not send the work of this call again under its own key.
    expect(await now.list()).toMatchObject([{ key: 'open', state: 'done', isInherited: true }]);
    expect((await before.list()).map(({ state }) => state)).toEqual(['done', 'done']);
  });

  it('the intents return what their calls created, and later calls replace earlier ones', async () => {
    const store = storesOver()('old');
    const earlier = '2026-03-01T09:00:00.000Z';
    const projects = store.intents(7, 'shots.project');
    await projects.open(intentOf('k1', { createdAt: earlier }));
    await projects.finish('k1', { one: { projectId: 'p', jobId: 'x' }, two: { projectId: 'q' } });
    const renders = store.intents(7, 'shots');
    await renders.open(intentOf('k2'));
    await renders.finish('k2', { one: { jobId: 'j' } });
    await renders.open(intentOf('k3'));
    const calls = await store.callsHandledByRun({ run: 'old', shard: 7 });
    const made = ['one', 'two'].map((key) => findCreatedIds({ key, source: {} }, calls, idRules));
    expect(made).toEqual([{ projectId: 'p', jobId: 'j' }, { projectId: 'q' }]);
  });

  it('the intents of a cell also return what its calls created for cells with the same outer positions', async () => {
    const store = storesOver()('old');
    const intents = store.intents(7, 'shots');
    const results = [
      { chair: { modelId: 'm' } },
      { 'chair@Oak': { colorway: { before: '', batchId: 'b' } } },
      { 'chair@Ash': { colorway: { before: '', batchId: 'c' } } },
      { 'chair@Oak@front': { projectId: 'p' } },
    ];
    for (const [index, result] of results.entries()) {
      await intents.open(intentOf(`k${index}`));
      await intents.finish(`k${index}`, result);
    }
    const calls = await store.callsHandledByRun({ run: 'old', shard: 7 });
    const source = inCell({}, 'chair', colorway('Oak'), view('front'));
    expect(findCreatedIds({ key: 'chair@Oak@front', source }, calls, idRules)).toEqual({
      colorway: { before: '', batchId: 'b' },
      projectId: 'p',
    });
  });

  it('the intents also belong to the run that ended them, but not to other runs that took over the assets', async () => {
    const stores = storesOver();
    await stores('old').intents(7, 'shots').open(intentOf('theirs'));
    await stores('old').intents(7, 'shots').open(intentOf('done before'));
    await stores('old')
      .intents(7, 'shots')
      .finish('done before', { two: { projectId: 'gone' } });
    for (const run of ['middle', 'new']) {
      await stores(run).writeOrigins(0, [{ run: 'old', shard: 7 }]);
    }
    await stores('middle')
      .intents(0, 'shots')
      .finish('theirs', { one: { projectId: 'p' } });
    const keysOf = async (run: string) =>
      (await stores('any').callsHandledByRun({ run, shard: 0 })).map(({ key }) => key);
    expect([await keysOf('middle'), await keysOf('new')]).toEqual([['theirs'], []]);
  });
});
