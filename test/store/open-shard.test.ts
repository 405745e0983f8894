import { describe, expect, it } from 'vitest';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { ClaimHolder } from '../../src/store/claims/claims.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore, StoreContext } from '../../src/store/runs/run-store.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import {
  alive,
  assetOf,
  dead,
  manifestAsset,
  recipe,
  settledAs,
  sourceOf,
  storeOn,
  storesOver,
  withManifest,
} from './_store.ts';

const otherRecipe = 'bbbbbbbb00000000';
const allRefs: PlatformIds = {
  modelId: 'm',
  templateId: 't',
  projectId: 'p',
  jobId: 'j',
  batchId: 'b',
};
const failure = { key: 'one', node: 'shots', code: 'FAILED', message: 'no', attempts: 1 };

/** A run whose only shard contains the asset `one`. */
async function runWith(
  stores: ReturnType<typeof storesOver>,
  run: string,
  more: Partial<StoreContext> & {
    asset?: Parameters<typeof manifestAsset>[1];
    category?: string;
  } = {},
): Promise<RunStore> {
  const { asset = {}, category, ...context } = more;
  const wish = category === undefined ? {} : { category };
  return withManifest(stores(run, context), [manifestAsset('one', asset)], wish);
}

async function fail(store: RunStore, platformIds: PlatformIds): Promise<void> {
  await openShard(store, 0, dead);
  const finalized = [settledAs('failed', assetOf('one', platformIds), { failure })];
  await finalizePart(store, { shard: 0, part: 0, finalized });
}

describe('opening a shard', () => {
  it('opening a shard claims its assets', async () => {
    const store = await withManifest(storesOver()('a'), [
      manifestAsset('one'),
      manifestAsset('two'),
    ]);
    expect(await openShard(store, 0, alive)).toEqual({
      assets: [
        { assetIndex: 0, ...assetOf('one') },
        { assetIndex: 1, ...assetOf('two') },
      ],
      complete: [],
      namesakes: [],
      taken: [],
    });
    expect(await store.claims.read('two')).toMatchObject({ run: 'a', shard: 0 });
  });

  it('opening a shard twice has the same result', async () => {
    const store = await runWith(storesOver(), 'a');
    const first = await openShard(store, 0, alive);
    expect(await openShard(store, 0, alive)).toEqual(first);
  });

  it('opening a shard has the same result if the first attempt died halfway', async () => {
    const bucket = new MemoryBucket();
    const keys = Array.from({ length: 40 }, (_, index) => `key-${index}`);
    await withManifest(
      storesOver(bucket)('a'),
      keys.map((key) => manifestAsset(key)),
    );
    let creates = 0;
    const dying = new MemoryConnector(bucket, async (operation) => {
      if (operation === 'create' && ++creates > 20) throw new Error('killed');
    });
    await expect(openShard(storeOn(dying, 'a'), 0, alive)).rejects.toThrow('killed');
    const { assets } = await openShard(storesOver(bucket)('a'), 0, alive);
    expect(assets.map(({ key }) => key)).toEqual(keys);
  });

  it('assets that a live run has claimed are skipped, and the live run is checked only once', async () => {
    const stores = storesOver();
    const assets = ['one', 'two', 'three'].map((key) => manifestAsset(key));
    await openShard(await withManifest(stores('a'), assets.slice(0, 2)), 0, alive);
    const asked: string[] = [];
    const isAlive = async ({ run }: ClaimHolder) => asked.push(run) > 0;
    const opened = await openShard(await withManifest(stores('b'), assets), 0, { isAlive });
    expect(opened.assets.map(({ key }) => key)).toEqual(['three']);
    expect(opened.taken).toEqual([
      { key: 'one', by: 'a' },
      { key: 'two', by: 'a' },
    ]);
    expect(asked).toEqual(['a']);
  });

  describe('opening a shard with cells of a model', () => {
    const cellOf = (name: string, platformIds?: PlatformIds) => {
      const asset = manifestAsset(`chair@${name}`);
      return {
        ...asset,
        source: inCell(asset.source, 'chair', colorway(name)),
        ...(platformIds ? { platformIds } : {}),
      };
    };

    it.each([
      ['that has not been uploaded yet leaves all cells to the other run', undefined, []],
      ['that has been uploaded leaves only the claimed cell', { modelId: 'm' }, ['chair@Navy']],
    ])('a model %s', async (_what, platformIds, expected) => {
      const stores = storesOver();
      const cells = [cellOf('Oak', platformIds), cellOf('Navy', platformIds)];
      // The other run has claimed the first cell.
      await openShard(await withManifest(stores('a'), cells.slice(0, 1)), 0, alive);
      const opened = await openShard(await withManifest(stores('b'), cells), 0, alive);
      expect(opened.assets.map(({ key }) => key)).toEqual(expected);
      expect(opened.taken.map(({ key, by }) => [key, by])).toEqual([
        ['chair@Oak', 'a'],
        ...(platformIds ? [] : [['chair@Navy', 'a']]),
      ]);
    });
  });

  it('an asset goes to only one of two concurrent runs', async () => {
    const stores = storesOver();
    const runs = await Promise.all(['a', 'b'].map((run) => runWith(stores, run)));
    const opened = await Promise.all(runs.map((store) => openShard(store, 0, alive)));
    expect(opened.flatMap(({ assets }) => assets)).toHaveLength(1);
    expect(opened.flatMap(({ taken }) => taken)).toHaveLength(1);
  });

  it('assets that another run has delivered since the discovery are skipped', async () => {
    const stores = storesOver();
    const [a, b] = [await runWith(stores, 'a'), await runWith(stores, 'b')];
    const { assets } = await openShard(a, 0, alive);
    const finalized = assets.map((asset) => settledAs('complete', asset));
    await finalizePart(a, { shard: 0, part: 0, finalized });
    expect(await openShard(b, 0, alive)).toEqual({
      assets: [],
      complete: [],
      namesakes: [],
      taken: [{ key: 'one', by: 'a' }],
    });
    expect(await b.claims.read('one')).toBeNull();
  });

  it("the run's own delivered asset is returned as complete after a reset, with all its ids", async () => {
    const store = await runWith(storesOver(), 'a');
    await openShard(store, 0, alive);
    const finalized = [settledAs('complete', assetOf('one', allRefs))];
    await finalizePart(store, { shard: 0, part: 0, finalized });
    expect(await openShard(store, 0, alive)).toEqual({
      assets: [],
      complete: [{ assetIndex: 0, ...assetOf('one', allRefs), files: [] }],
      namesakes: [],
      taken: [],
    });
  });

  it('a shard that does not exist returns nothing', async () => {
    const store = await runWith(storesOver(), 'a');
    expect(await openShard(store, 5, alive)).toEqual({
      assets: [],
      complete: [],
      namesakes: [],
      taken: [],
    });
  });
});

describe('the state that a run adopts', () => {
  async function adopted(
    before: (stores: ReturnType<typeof storesOver>) => Promise<void>,
    more: Parameters<typeof runWith>[2] = {},
  ): Promise<PlatformIds | undefined> {
    const stores = storesOver();
    await before(stores);
    const { assets } = await openShard(await runWith(stores, 'new', more), 0, dead);
    return assets[0]?.platformIds;
  }
  const failing = (platformIds: PlatformIds, more: Parameters<typeof runWith>[2] = {}) => {
    return async (stores: ReturnType<typeof storesOver>) =>
      fail(await runWith(stores, 'old', more), platformIds);
  };

  it('everything of a failed asset is adopted except its retries', async () => {
    expect(await adopted(failing({ ...allRefs, retries: 2 }))).toEqual(allRefs);
  });

  it('nothing of another version of the file is adopted', async () => {
    const asset = { source: sourceOf('one', '2-2') };
    expect(await adopted(failing(allRefs), { asset })).toEqual({});
  });

  it('only the model of a failed asset under another recipe is adopted', async () => {
    expect(await adopted(failing(allRefs), { recipe: otherRecipe })).toEqual({ modelId: 'm' });
  });

  it.each([
    ['the same category', 'SHOES', { modelId: 'm', category: 'SHOES' }],
    ['another category', 'BAGS', {}],
    ['no category', undefined, {}],
  ])(
    'a model is adopted from another recipe only with the same category: %s',
    async (_, category, platformIds) => {
      const more = { recipe: otherRecipe, ...(category === undefined ? {} : { category }) };
      expect(await adopted(failing({ ...allRefs, category: 'SHOES' }), more)).toEqual(platformIds);
    },
  );

  it.each<[string, PlatformIds]>([
    ['prop', { propId: 'p' }],
    ['decal', { decalId: 'd', itemReady: true }],
    ['material', { materialId: 'm' }],
  ])('the %s that was uploaded under another recipe is adopted', async (_kind, platformIds) => {
    expect(await adopted(failing(platformIds), { recipe: otherRecipe })).toEqual(platformIds);
  });

  it('the model and the project of a cancelled asset are adopted, but not its cancelled renders', async () => {
    const cancel = async (stores: ReturnType<typeof storesOver>) => {
      const store = await runWith(stores, 'old');
      await openShard(store, 0, dead);
      const finalized = [settledAs('cancelled', assetOf('one', { ...allRefs, ownProject: true }))];
      await finalizePart(store, { shard: 0, part: 0, finalized });
    };
    expect(await adopted(cancel)).toEqual({
      modelId: 'm',
      templateId: 't',
      projectId: 'p',
      ownProject: true,
    });
  });

  it('the model of a delivered asset with a changed recipe is adopted', async () => {
    const deliver = async (stores: ReturnType<typeof storesOver>) => {
      const store = await runWith(stores, 'old');
      await openShard(store, 0, alive);
      const finalized = [settledAs('complete', assetOf('one', allRefs))];
      await finalizePart(store, { shard: 0, part: 0, finalized });
    };
    const asset = { reason: 'recipe' as const, previous: ['one@1-1~aaaaaaaa.json'] };
    expect(await adopted(deliver, { asset, recipe: otherRecipe })).toEqual({ modelId: 'm' });
    expect(await adopted(deliver, { asset, recipe: otherRecipe, category: 'BAGS' })).toEqual({});
  });

  /** A run that dies while it works, after its calls have returned these ids. */
  const dying = (answer: PlatformIds) => async (stores: ReturnType<typeof storesOver>) => {
    const store = await runWith(stores, 'old');
    await openShard(store, 0, alive);
    const intents = store.intents(0, 'shots');
    const createdAt = '2026-03-01T10:00:00.000Z';
    const call = { operation: 'createRenders', bodyText: '', assets: ['one'], createdAt };
    await intents.open({ ...call, key: 'k1' });
    await intents.finish('k1', { one: answer });
    await intents.open({ ...call, key: 'k2' });
  };

  it('the ids in the intents of a run that died are adopted', async () => {
    expect(await adopted(dying({ modelId: 'm', projectId: 'p', jobId: 'j' }))).toEqual({
      modelId: 'm',
      projectId: 'p',
      jobId: 'j',
    });
  });

  it('the batch of a run that died while creating a colorway is adopted, with the variants that existed before', async () => {
    const platformIds = { modelId: 'm', colorway: { before: 'marks', batchId: 'c' } };
    expect(await adopted(dying(platformIds))).toEqual(platformIds);
  });

  it('only the start of an upload is adopted from a run that died during it, since the model may be empty', async () => {
    expect(await adopted(dying({ modelId: 'm' }))).toEqual({ uploadStarted: true });
  });

  it.each([
    ['an upload that had started', dying({ modelId: 'm' }), { uploadStarted: true }],
    ['an upload during which the asset failed', failing({}), { uploadStarted: true }],
    ['an upload before the asset failed', failing({ lastCreatedAtMs: 1 }), { lastCreatedAtMs: 1 }],
    ['the ids of a failed asset', failing(allRefs), allRefs],
  ])('a second attempt adopts the same ids: %s', async (_what, before, expected) => {
    const stores = storesOver();
    await before(stores);
    const store = await runWith(stores, 'new');
    // The first attempt may have claimed the assets and then failed.
    await openShard(store, 0, dead);
    const again = await openShard(store, 0, dead);
    expect(again.assets.map(({ platformIds }) => platformIds)).toEqual([expected]);
  });

  it('ids that the dead run had adopted itself are adopted, even if the adopting run dies too', async () => {
    const chain = async (stores: ReturnType<typeof storesOver>) => {
      await failing(allRefs)(stores);
      await openShard(await runWith(stores, 'middle'), 0, dead);
    };
    expect(await adopted(chain)).toEqual(allRefs);
  });

  it('the open intents of the run before a dead run are adopted', async () => {
    const stores = storesOver();
    await dying({ modelId: 'm' })(stores);
    const store = await runWith(stores, 'new');
    await openShard(store, 0, dead);
    expect((await store.intents(0, 'shots').list()).map(({ key }) => key)).toEqual(['k2']);
    await openShard(store, 0, dead);
    expect(await store.intents(0, 'shots').list()).toHaveLength(1);
    expect(store.context.recipe).toBe(recipe);
  });
});

describe('a recipe that is used again', () => {
  const linen = 'aaaaaaaa00000000';
  const navy = 'bbbbbbbb00000000';
  const inLinen: PlatformIds = {
    modelId: 'm',
    projectId: 'linen',
    jobId: 'j',
    batchId: 'b',
    outputs: [],
  };
  const inNavy: PlatformIds = { modelId: 'm', projectId: 'navy' };

  /** A run with this recipe, opened after earlier runs have delivered. */
  async function opened(stores: ReturnType<typeof storesOver>, run: string, recipe: string) {
    const store = stores(run, { recipe });
    const entry = (await store.records.index()).get('one');
    const asset = entry ? { reason: 'recipe' as const, previous: [entry.name] } : {};
    await withManifest(store, [manifestAsset('one', asset)]);
    const { assets } = await openShard(store, 0, dead);
    return { store, platformIds: assets[0]?.platformIds };
  }

  async function delivered(
    stores: ReturnType<typeof storesOver>,
    run: string,
    recipe: string,
    platformIds: PlatformIds,
  ) {
    const { store } = await opened(stores, run, recipe);
    const finalized = [settledAs('complete', assetOf('one', platformIds))];
    await finalizePart(store, { shard: 0, part: 0, finalized });
    return store;
  }

  it('the run finds all ids of the recipe, and treats its render job as finished', async () => {
    const stores = storesOver();
    await delivered(stores, 'a', linen, inLinen);
    const store = await delivered(stores, 'b', navy, inNavy);
    expect(await store.records.find('one')).toMatchObject({
      platformIds: inNavy,
      earlier: [{ recipe: linen, platformIds: inLinen }],
    });
    const { platformIds } = await opened(stores, 'c', linen);
    const reusableStages = ['source', 'composition', 'render'];
    expect(platformIds).toEqual({ ...inLinen, batchId: '', reusableStages });
    // A second attempt has the same result.
    expect(
      (await openShard(stores('c', { recipe: linen }), 0, dead)).assets[0]?.platformIds,
    ).toEqual(platformIds);
  });

  it('the recipe has the same result when finalized twice, and is stored once', async () => {
    const stores = storesOver();
    await delivered(stores, 'a', linen, inLinen);
    await delivered(stores, 'b', navy, inNavy);
    const { store } = await opened(stores, 'c', linen);
    const finalized = [settledAs('complete', assetOf('one', inLinen))];
    await finalizePart(store, { shard: 0, part: 0, finalized });
    await finalizePart(store, { shard: 0, part: 0, finalized });
    const record = await store.records.find('one');
    expect(record?.earlier).toEqual([{ recipe: navy, platformIds: inNavy }]);
  });

  it('the recipe is no longer reused after a later run has lost its resources', async () => {
    const stores = storesOver();
    await delivered(stores, 'a', linen, inLinen);
    await delivered(stores, 'b', navy, inNavy);
    const { store } = await opened(stores, 'c', linen);
    const left = [settledAs('failed', assetOf('one', { modelId: 'm' }), { failure })];
    await finalizePart(store, { shard: 0, part: 0, finalized: left });
    expect((await opened(stores, 'd', linen)).platformIds).toEqual({ modelId: 'm' });
  });

  it('the recipe is also reused if a run has died before it created anything', async () => {
    const stores = storesOver();
    await delivered(stores, 'a', linen, inLinen);
    await delivered(stores, 'b', navy, inNavy);
    await opened(stores, 'killed', linen);
    const { platformIds } = await opened(stores, 'd', linen);
    expect(platformIds).toMatchObject({
      projectId: 'linen',
      reusableStages: ['source', 'composition', 'render'],
    });
  });

  it('the recipe is also reused if a run with another recipe failed in between', async () => {
    const stores = storesOver();
    await delivered(stores, 'a', linen, inLinen);
    await delivered(stores, 'b', navy, inNavy);
    const { store } = await opened(stores, 'c', 'cccccccc00000000');
    const left = [
      settledAs('failed', assetOf('one', { modelId: 'm', projectId: 'x' }), { failure }),
    ];
    await finalizePart(store, { shard: 0, part: 0, finalized: left });
    expect((await opened(stores, 'd', linen)).platformIds).toMatchObject({ projectId: 'linen' });
  });

  it('a record has at most twenty recipes, all of the same version of the file', async () => {
    const stores = storesOver();
    for (let at = 0; at < 22; at += 1) {
      const recipe = `${String(at).padStart(8, '0')}00000000`;
      await delivered(stores, `run-${at}`, recipe, { modelId: 'm', projectId: `p${at}` });
    }
    const record = await stores('x').records.find('one');
    const projects = record?.earlier?.map(({ platformIds }) => platformIds.projectId);
    expect(projects).toEqual(Array.from({ length: 20 }, (_, at) => `p${at + 1}`));

    const store = stores('y');
    const entry = (await store.records.index()).get('one');
    const changed = { reason: 'changed' as const, previous: [entry?.name ?? ''] };
    const source = sourceOf('one', '2-2');
    await withManifest(store, [manifestAsset('one', { ...changed, source })]);
    await openShard(store, 0, dead);
    const finalized = [settledAs('complete', { ...assetOf('one'), source })];
    await finalizePart(store, { shard: 0, part: 0, finalized });
    expect((await store.records.find('one'))?.earlier).toBeUndefined();
  });
});
