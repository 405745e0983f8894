// Keys of platform objects with equal names, across runs that list only some of the objects, as runs for events do.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { toUnkeyedObject } from '../../src/engine/discovery/platform-objects.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import {
  type DiscoverySource,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import { createObjectSource } from '../../src/store/records/source-version.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { inOak } from '../plan/_cells.ts';
import { noStages } from '../plan/_steps.ts';
import { longAgoMs, modelsFolder, reasons } from './_models-folder.ts';
import { alive, settledAs, storesOver } from './_store.ts';

type Outcome = FinalizedAsset['outcome'] | 'open';

/** Runs over models that are all called Chair. `shown` is a property that changes their versions. */
function workspace(more: Partial<DiscoverySource> = {}) {
  const storeOf = storesOver();
  const sourceFor = (ids: readonly string[], shown = ''): DiscoverySource => ({
    lister: {
      list: async () => ({
        sources: ids.map((id) => ({
          unkeyed: toUnkeyedObject(id, 'Chair'),
          source: createObjectSource(id, 'Chair', [shown], null),
          platformIds: { modelId: id },
        })),
        failures: [],
      }),
    },
    node: 'take',
    keyOf: null,
    stages: noStages,
    ...more,
  });
  async function list(name: string, ids: readonly string[]) {
    const store = storeOf(name);
    await discoverRun(store, { ...sourceFor(ids), parameters: {}, shardSize: 10 });
    return store;
  }
  async function run(name: string, ids: readonly string[], outcome: Outcome) {
    const store = await list(name, ids);
    const { assets } = await openShard(store, 0, alive);
    if (outcome === 'open') return;
    const finalized = assets.map((asset) => settledAs(outcome, asset));
    await finalizePart(store, { shard: 0, part: 0, finalized });
  }
  async function find(ids: readonly string[], shown?: string) {
    const store = storeOf('later');
    const reads = vi.spyOn(store.records, 'read');
    const found = await previewDiscovery(store, sourceFor(ids, shown));
    return { found: reasons(found), records: reads.mock.calls.length };
  }
  return { list, run, find };
}

describe('the key of a second object with the same name', () => {
  it.each<[Outcome]>([['complete'], ['open'], ['failed']])(
    'the key of the second object contains its id if the run of the first one is %s',
    async (outcome) => {
      const { run, find } = workspace();
      await run('first', ['m1'], outcome);
      expect((await find(['m2'])).found).toEqual({ 'Chair-m2': 'new' });
    },
  );

  it('the key of the second object contains its id in each colorway', async () => {
    const { run, find } = workspace({ grid: inOak });
    await run('first', ['m1'], 'complete');
    expect((await find(['m2'])).found).toEqual({ 'Chair-m2@Oak': 'new' });
  });

  it('the key of the second object is the same in a full listing, which reads no record of unchanged objects', async () => {
    const { run, find } = workspace();
    await run('first', ['m1'], 'complete');
    await run('second', ['m2'], 'complete');
    expect(await find(['m1', 'm2'])).toEqual({ found: {}, records: 0 });
    const changed = { Chair: 'changed', 'Chair-m2': 'changed' };
    expect(await find(['m1', 'm2'], 'other')).toEqual({ found: changed, records: 2 });
  });
});

describe('the key of the first object with a name', () => {
  it.each<[Outcome, string]>([
    ['complete', 'changed'],
    ['open', 'retry'],
    ['failed', 'retry'],
  ])(
    'a changed first object keeps its name as its key if its run is %s',
    async (outcome, reason) => {
      const { run, find } = workspace();
      await run('first', ['m1'], outcome);
      expect((await find(['m1'], 'other')).found).toEqual({ Chair: reason });
    },
  );

  it('the key of the first object is its name in a full listing, if only its claim is known', async () => {
    const { run, find } = workspace();
    await run('first', ['m1'], 'failed');
    expect((await find(['m1', 'm2'])).found).toEqual({ Chair: 'retry', 'Chair-m2': 'new' });
  });
});

/** Simulates a race: both runs have listed before the first one opens its shard. */
describe('two runs that list at the same time', () => {
  const openAs = async (store: RunStore, pause: () => Promise<unknown> = async () => undefined) => {
    const { assets, namesakes, taken } = await openShard(store, 0, { ...alive, pause });
    return {
      assets: assets.map(({ key }) => key),
      namesakes: namesakes.map(({ key, by }) => ({ key, by })),
      taken: taken.map(({ key, by }) => ({ key, by })),
    };
  };
  const finish = async (store: RunStore, outcome: FinalizedAsset['outcome'], id: string) => {
    const asset = {
      key: 'Chair',
      source: createObjectSource(id, 'Chair', [''], null),
      platformIds: {},
    };
    await finalizePart(store, { shard: 0, part: 0, finalized: [settledAs(outcome, asset)] });
  };

  it('the second of two runs skips an object that the first one has claimed', async () => {
    const { list } = workspace();
    const first = await list('first', ['m1']);
    const second = await list('second', ['m1']);
    expect(await openAs(first)).toMatchObject({ assets: ['Chair'], taken: [] });
    const taken = [{ key: 'Chair', by: 'first' }];
    expect(await openAs(second)).toEqual({ assets: [], namesakes: [], taken });
  });

  /** One run lists m1 alone, as for an event, so its key is its name. The other one lists two objects of that name. */
  const pairOfRuns = async (more?: Partial<DiscoverySource>) => {
    const { list } = workspace(more);
    return { event: await list('event', ['m1']), listing: await list('listing', ['m1', 'm2']) };
  };

  it.each<[Outcome]>([['open'], ['failed'], ['complete']])(
    'an object that a run for its event has claimed first is not processed under its key with the id if that run is %s',
    async (outcome) => {
      const { event, listing } = await pairOfRuns();
      await openAs(event);
      if (outcome !== 'open') await finish(event, outcome, 'm1');
      const taken = [{ key: 'Chair-m1', by: 'event' }];
      const opened = { assets: ['Chair-m2'], namesakes: [], taken };
      expect(await openAs(listing)).toEqual(opened);
      // A second attempt of the activity has the same result.
      expect(await openAs(listing)).toEqual(opened);
      expect(await listing.claims.read('Chair-m1')).toBeNull();
    },
  );

  it('an object that a listing run has claimed first is not processed by the run for its event', async () => {
    const { event, listing } = await pairOfRuns();
    expect(await openAs(listing)).toMatchObject({ assets: ['Chair-m1', 'Chair-m2'], taken: [] });
    const taken = [{ key: 'Chair', by: 'listing' }];
    expect(await openAs(event)).toEqual({ assets: [], namesakes: [], taken });
  });

  it('an object that both runs claim at the same moment is processed by the run with the shorter key', async () => {
    const { event, listing } = await pairOfRuns();
    // Each run reads the claims of the other one only once both have claimed the object.
    const read = event.claims.read.bind(event.claims);
    const bothClaimed = vi.waitUntil(async () => (await read('Chair')) && (await read('Chair-m1')));
    for (const { claims } of [event, listing])
      vi.spyOn(claims, 'read').mockImplementation(async (key) => {
        await bothClaimed;
        return read(key);
      });
    const byListing = openAs(listing);
    const byEvent = openAs(event, () => byListing);
    const taken = [{ key: 'Chair-m1', by: 'event' }];
    expect(await byListing).toEqual({ assets: ['Chair-m2'], namesakes: [], taken });
    expect(await byEvent).toEqual({ assets: ['Chair'], namesakes: [], taken: [] });
  });

  it('the same is true of each colorway of an object', async () => {
    const { event, listing } = await pairOfRuns({ grid: inOak });
    expect(await openAs(event)).toMatchObject({ assets: ['Chair@Oak'] });
    const taken = [{ key: 'Chair-m1@Oak', by: 'event' }];
    expect(await openAs(listing)).toMatchObject({ assets: ['Chair-m2@Oak'], taken });
  });

  it.each<[Outcome]>([['open'], ['failed'], ['complete']])(
    'another object of the same name is not processed under that key if the first run is %s',
    async (outcome) => {
      const { list, find } = workspace();
      const first = await list('first', ['m1']);
      const second = await list('second', ['m2']);
      await openAs(first);
      if (outcome !== 'open') await finish(first, outcome, 'm1');
      const namesakes = [{ key: 'Chair', by: 'first' }];
      const opened = { assets: ['Chair'], namesakes, taken: [] };
      expect(await openAs(second)).toEqual(opened);
      // A second attempt of the activity has the same result.
      expect(await openAs(second)).toEqual(opened);
      await finish(second, 'failed', 'm2');
      expect((await find(['m2'])).found).toEqual({ 'Chair-m2': 'new' });
    },
  );
});

it('a file that replaces another of the same name keeps its key', async () => {
  const { folder, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
  await deliver('first');
  await rm(join(folder, 'a.glb'));
  await putFile(folder, 'a.obj', 'other', longAgoMs);
  expect(reasons(await preview())).toEqual({ a: 'changed' });
});
