// A record that moves to another key remains a single record, even if other runs also move it or its run is killed.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { discoverRun } from '../../src/store/discovery/discover-run.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { MemoryConnector } from '../connectors/_memory-connector.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { createDeliveredFolder, fileOf, three } from './_delivered-folder.ts';
import { longAgoMs } from './_models-folder.ts';
import { alive, settledAs } from './_store.ts';

describe('two concurrent runs', () => {
  it('a record moves to only one of two keys', async () => {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const [a, b] = [place.storeOf('a'), place.storeOf('b')];
    const run = { ...place.source, ...place.runOptions };
    await discoverRun(a, run);
    await place.move('mugs/mug.glb', 'cups/mug.glb');
    await discoverRun(b, run);
    const first = await openShard(a, 0, alive);
    expect(first.assets.map(({ key }) => key)).toEqual(['mugs/mug']);
    expect(await openShard(b, 0, alive)).toMatchObject({
      assets: [],
      taken: [{ key: 'cups/mug', by: 'a' }],
    });
    const finalized = first.assets.map((asset) => settledAs('complete', asset));
    await finalizePart(a, { shard: 0, part: 0, finalized });
    // A source that another run has moved meanwhile is found at its new path by the next run.
    expect((await openShard(b, 0, alive)).assets).toEqual([]);
    const { assets } = await place.run('c');
    expect(assets).toMatchObject([{ key: 'cups/mug', platformIds: { modelId: 'm-kitchen/mug' } }]);
  });

  it('the files of a source that has come back in the meantime are not deleted', async () => {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const store = place.storeOf('a');
    await discoverRun(store, { ...place.source, ...place.runOptions });
    const tidied: string[] = [];
    const { assets } = await openShard(store, 0, alive);
    await place.move('mugs/mug.glb', 'kitchen/mug.glb');
    await place.run('b');
    const finalized = assets.map((asset) =>
      settledAs('complete', asset, { files: [fileOf('mugs/mug', 'kitchen/mug.png')] }),
    );
    await finalizePart(
      store,
      { shard: 0, part: 0, finalized },
      {
        removeOldFiles: async ({ files }) => {
          tidied.push(...files.flatMap(({ previousPath: was }) => was ?? []));
          return [];
        },
      },
    );
    expect(tidied).toEqual([]);
    expect(await place.models()).toMatchObject({ 'kitchen/mug': 'm-kitchen/mug' });
  });
});

describe('a run in which the moved asset fails', () => {
  const failure = { key: 'mugs/mug', node: 'deliver', code: 'FAILED', message: 'no', attempts: 1 };

  /** The resources that were created for the mug of the kitchen and not delivered under its new key. */
  async function failed() {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const store = place.storeOf('failing');
    await discoverRun(store, { ...place.source, ...place.runOptions });
    const { assets } = await openShard(store, 0, alive);
    const finalized = assets.map((asset) => settledAs('failed', asset, { failure }));
    await finalizePart(store, { shard: 0, part: 0, finalized });
    expect(await place.models()).toMatchObject({ 'kitchen/mug': 'm-kitchen/mug' });
    return place;
  }

  it('the record is left for the next run, under any key', async () => {
    const place = await failed();
    await place.move('mugs/mug.glb', 'cups/mug.glb');
    const { assets } = await place.run('next');
    expect(assets).toMatchObject([{ key: 'cups/mug', platformIds: { modelId: 'm-kitchen/mug' } }]);
    expect(await place.models()).toMatchObject({ 'cups/mug': 'm-kitchen/mug' });
  });

  it('the finished work of the record is reused, not the upload of a copy that has failed', async () => {
    const place = await createDeliveredFolder(three);
    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    const store = place.storeOf('failing');
    await discoverRun(store, { ...place.source, ...place.runOptions });
    const { assets } = await openShard(store, 0, alive);
    const uploaded = assets.map((asset) => ({ ...asset, platformIds: { modelId: 'm-copy' } }));
    const finalized = uploaded.map((asset) => settledAs('failed', asset, { failure }));
    await finalizePart(store, { shard: 0, part: 0, finalized });
    await rm(join(place.folder, 'kitchen/mug.glb'));
    const next = await place.run('next');
    expect(next.assets).toMatchObject([
      { key: 'mugs/mug', platformIds: { modelId: 'm-kitchen/mug', jobId: 'j-kitchen/mug' } },
    ]);
  });

  it('resources of another source are not listed as undelivered', async () => {
    const place = await failed();
    await putFile(place.folder, 'mugs/mug.glb', 'another mug', longAgoMs);
    const store = place.storeOf('next');
    await discoverRun(store, { ...place.source, ...place.runOptions });
    await openShard(store, 0, alive);
    const claim = await store.claims.read('mugs/mug');
    expect(claim).toMatchObject({ run: 'next' });
    expect(claim?.undeliveredResources).toBeUndefined();
  });
});

describe('a run that is killed', () => {
  /** Kills the run `killed` after this number of store operations. Null if the run finished first. */
  async function killedAt(diesAt: number, swaps: boolean) {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', swaps ? 'x' : 'mugs/mug.glb');
    if (swaps) {
      await place.move('kitchen/cup.glb', 'kitchen/mug.glb');
      await place.move('x', 'kitchen/cup.glb');
    }
    let operations = 0;
    const dying = new MemoryConnector(place.bucket, async () => {
      if (operations++ >= diesAt) throw new Error('killed');
    });
    const end = await place.run('killed', { on: dying }).catch(() => null);
    return { place, isWhole: end !== null };
  }

  it.each([
    ['moves a file', false, { 'mugs/mug': 'm-kitchen/mug', 'kitchen/cup': 'm-kitchen/cup' }],
    ['swaps two files', true, { 'kitchen/mug': 'm-kitchen/cup', 'kitchen/cup': 'm-kitchen/mug' }],
  ])(
    'a run that is killed when it %s is completed by the next run',
    async (_what, swaps, models) => {
      let lastOperation = 0;
      for (let diesAt = 0; ; diesAt += 1) {
        const { place, isWhole } = await killedAt(diesAt, swaps);
        const { assets } = await place.run('next');
        // Nothing is created again, because all ids are recorded.
        for (const { platformIds } of assets)
          expect(platformIds, String(diesAt)).toMatchObject({
            jobId: expect.stringMatching(/^j-kitchen/),
          });
        expect(await place.models(), String(diesAt)).toEqual({ bowl: 'm-bowl', ...models });
        expect(place.tidied, String(diesAt)).toContain('kitchen/mug.png');
        const names = [...place.bucket.files.keys()].filter((name) => name.includes('/claims/%1f'));
        expect(names, String(diesAt)).toEqual([]);
        expect((await place.run('last')).found, String(diesAt)).toMatchObject({
          new: 0,
          changed: 0,
        });
        lastOperation = diesAt;
        if (isWhole) break;
      }
      expect(lastOperation).toBeGreaterThan(25);
    },
  );
});
