// Sources that were delivered under another key: told by their content, and taken over only where the old key has them no more.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import type { DeliveredFile } from '../../src/plan/types.ts';
import { openShard } from '../../src/store/claims/open-shard.ts';
import {
  type DiscoverySource,
  discoverRun,
  discoverStretch,
  goesInStretches,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { Grid } from '../../src/store/discovery/grid.ts';
import { modelKeyOf } from '../../src/store/records/asset-names.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { settleAssets } from '../../src/store/runs/settle.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { longAgoMs, modelsFolder } from './_models-folder.ts';
import { alive, dead, recipe, settledAs, storeOn } from './_store.ts';

const otherRecipe = 'bbbbbbbb00000000';
const fileOf = (key: string, was?: string): DeliveredFile => {
  const file = { key, path: `${key}.png`, bytes: 1, sha256: 'f', width: 1, height: 1 };
  return was === undefined ? file : { ...file, was };
};

/** A folder whose files were delivered by the run `first`, each with a model, a project and a render of its own. */
async function shop(
  files: Record<string, string>,
  identity: 'path' | 'content' = 'content',
  grid: Grid | null = null,
) {
  const models = await modelsFolder(files);
  const { folder, connector } = models;
  const bucket = new MemoryBucket();
  const reads: string[] = [];
  /** Old names of files that were removed. */
  const tidied: string[] = [];
  const tidy = async ({ files: some }: { files: DeliveredFile[] }) => {
    tidied.push(...some.flatMap(({ was }) => was ?? []));
    return [];
  };
  const { lister } = models.source;
  const source: DiscoverySource = {
    ...models.source,
    identity,
    grid,
    lister: {
      ...lister,
      hash: async (one, signal) => {
        reads.push(one.path);
        return (await lister.hash?.(one, signal)) ?? '';
      },
    },
  };
  const runOptions = { parameters: {}, shardSize: 100 };
  const storeOf = (run: string, more: { recipe?: string; on?: Connector } = {}) =>
    storeOn(more.on ?? new MemoryConnector(bucket), run, { recipe: more.recipe ?? recipe });

  async function noteHash(store: RunStore, key: string, version: string, path: string) {
    const bytes = await readFile(join(folder, path));
    store.sourceHashes.note(key, version, createHash('sha256').update(bytes).digest('hex'));
  }

  /** Opens and settles what a run has found; its assets with what they build on. */
  async function work(store: RunStore) {
    const { assets, taken } = await openShard(store, 0, dead);
    const page = await store.manifest.page(0);
    for (const asset of assets) {
      await noteHash(store, modelKeyOf(asset), asset.source.version, asset.source.path);
    }
    const settled = assets.map((asset) => {
      const { moved } = page.find(({ key }) => key === asset.key) ?? {};
      const { key, refs } = asset;
      const made = { modelId: `m-${key}`, projectId: `p-${key}`, jobId: `j-${key}` };
      const outputs = [{ id: `o-${key}`, name: key, fileType: 'PNG', isVideo: false }];
      const done = { batchId: '', ...made, outputs: outputs as never[], ...refs };
      const files = [fileOf(key, moved && `${moved.key}.png`)];
      return settledAs('complete', { ...asset, refs: done }, { files });
    });
    await settleAssets(store, { shard: 0, part: 0, settled }, { tidy });
    return { assets, taken };
  }

  async function run(name: string, more: Parameters<typeof storeOf>[1] = {}) {
    const store = storeOf(name, more);
    const found = await discoverRun(store, { ...source, ...runOptions, tidy });
    const { assets, taken } = found.pages === 0 ? { assets: [], taken: [] } : await work(store);
    return { store, found, assets, taken };
  }

  await run('first');
  reads.length = 0;
  return {
    folder,
    bucket,
    connector,
    source,
    runOptions,
    reads,
    storeOf,
    work,
    run,
    preview: (more = {}) => previewDiscovery(storeOf('later', more), source),
    tidied,
    move: async (from: string, to: string) => {
      await mkdir(dirname(join(folder, to)), { recursive: true });
      await rename(join(folder, from), join(folder, to));
    },
    copy: async (from: string, to: string) => {
      await mkdir(dirname(join(folder, to)), { recursive: true });
      await copyFile(join(folder, from), join(folder, to));
    },
    /** Which model each key has on record. */
    models: async () => {
      const found: Record<string, string | undefined> = {};
      for await (const { key, record } of storeOf('x').records.all()) {
        found[record?.key ?? key] = record?.refs.modelId;
      }
      return found;
    },
  };
}

type Shop = Awaited<ReturnType<typeof shop>>;

const fates = ({ assets, moved }: Awaited<ReturnType<Shop['preview']>>) => ({
  assets: Object.fromEntries(
    assets.map(({ key, reason, moved: from }) => [key, from ? `from ${from.key}` : reason]),
  ),
  copies: Object.fromEntries((moved?.copies ?? []).map(({ key, of }) => [key, of])),
});

const three = { 'kitchen/mug.glb': 'mug!', 'kitchen/cup.glb': 'cup!', 'bowl.glb': 'bowl' };

describe('with identity: content', () => {
  it.each<[string, (shop: Shop) => Promise<unknown>, object, object]>([
    ['nothing happened', async () => undefined, {}, {}],
    [
      'a file moved to another folder',
      ({ move }) => move('kitchen/mug.glb', 'mugs/mug.glb'),
      { 'mugs/mug': 'from kitchen/mug' },
      {},
    ],
    [
      'a folder was renamed',
      ({ move }) => move('kitchen', 'pantry'),
      { 'pantry/cup': 'from kitchen/cup', 'pantry/mug': 'from kitchen/mug' },
      {},
    ],
    [
      'two files changed names',
      async ({ move }) => {
        await move('kitchen/mug.glb', 'x');
        await move('kitchen/cup.glb', 'kitchen/mug.glb');
        await move('x', 'kitchen/cup.glb');
      },
      { 'kitchen/cup': 'from kitchen/mug', 'kitchen/mug': 'from kitchen/cup' },
      {},
    ],
    [
      'a file moved into the place of another',
      ({ move }) => move('kitchen/mug.glb', 'kitchen/cup.glb'),
      { 'kitchen/cup': 'from kitchen/mug' },
      {},
    ],
    [
      'a file moved, and another came to its place',
      async ({ move, folder }) => {
        await move('kitchen/mug.glb', 'old/mug.glb');
        await putFile(folder, 'kitchen/mug.glb', 'a new mug', longAgoMs);
      },
      { 'old/mug': 'from kitchen/mug', 'kitchen/mug': 'new' },
      {},
    ],
    [
      'a file moved and was written anew',
      async ({ folder }) => {
        await rm(join(folder, 'kitchen/mug.glb'));
        await putFile(folder, 'mugs/mug.glb', 'gum!', longAgoMs);
      },
      { 'mugs/mug': 'new' },
      {},
    ],
    [
      'a file was copied',
      ({ copy }) => copy('kitchen/mug.glb', 'mugs/mug.glb'),
      { 'mugs/mug': 'new' },
      { 'mugs/mug': 'kitchen/mug' },
    ],
    [
      'a file was moved and copied',
      async ({ move, copy }) => {
        await move('kitchen/mug.glb', 'mugs/mug.glb');
        await copy('mugs/mug.glb', 'a.glb');
      },
      { a: 'new', 'mugs/mug': 'from kitchen/mug' },
      { a: 'mugs/mug' },
    ],
    [
      'two new files are the same',
      async ({ folder }) => {
        await putFile(folder, 'one.glb', 'both of them', longAgoMs);
        await putFile(folder, 'two.glb', 'both of them', longAgoMs);
      },
      { one: 'new', two: 'new' },
      { two: 'one' },
    ],
  ])('%s', async (_what, act, assets, copies) => {
    const place = await shop(three);
    await act(place);
    expect(fates(await place.preview())).toEqual({ assets, copies });
  });

  it('pairs files that are the same by their names', async () => {
    const place = await shop({ 'a/one.glb': 'same', 'a/two.glb': 'same' });
    await place.move('a/two.glb', 'b/two.glb');
    await place.move('a/one.glb', 'c/one.glb');
    expect(fates(await place.preview()).assets).toEqual({
      'b/two': 'from a/two',
      'c/one': 'from a/one',
    });
  });

  it('takes nothing from a file that is there and left out, or cannot be looked at', async () => {
    const place = await shop(three);
    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    const { listing, sourceWith } = await modelsFolder();
    const config = { ...listing.config, exclude: ['kitchen/**'] };
    const { lister } = sourceWith({ connector: place.connector, config });
    const found = await previewDiscovery(place.storeOf('later'), { ...place.source, lister });
    expect(fates(found)).toEqual({
      assets: { 'mugs/mug': 'new' },
      copies: { 'mugs/mug': 'kitchen/mug' },
    });
  });

  it('takes nothing from a file that has got another key', async () => {
    const place = await shop(three);
    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    const keyOf = ({ path }: { path: string }) => `all/${path}`;
    const found = await previewDiscovery(place.storeOf('later'), { ...place.source, keyOf });
    expect(fates(found)).toEqual({
      assets: {
        'all/bowl.glb': 'from bowl',
        'all/kitchen/cup.glb': 'from kitchen/cup',
        'all/kitchen/mug.glb': 'from kitchen/mug',
        'all/mugs/mug.glb': 'new',
      },
      copies: { 'all/mugs/mug.glb': 'all/kitchen/mug.glb' },
    });
  });

  it('has the record go on under the new key, with all that was made, and pays nothing', async () => {
    const place = await shop(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const { assets } = await place.run('second');
    expect(assets).toMatchObject([
      {
        key: 'mugs/mug',
        refs: {
          modelId: 'm-kitchen/mug',
          jobId: 'j-kitchen/mug',
          stands: ['source', 'composition', 'render'],
        },
      },
    ]);
    expect(place.tidied).toEqual(['kitchen/mug.png']);
    expect(await place.models()).toEqual({
      bowl: 'm-bowl',
      'kitchen/cup': 'm-kitchen/cup',
      'mugs/mug': 'm-kitchen/mug',
    });
    expect((await place.run('third')).found).toMatchObject({ new: 0, changed: 0, unchanged: 3 });

    await place.move('mugs/mug.glb', 'kitchen/mug.glb');
    await place.run('fourth');
    expect(await place.models()).toMatchObject({ 'kitchen/mug': 'm-kitchen/mug' });
  });

  it('keeps both of two files that changed names, whichever ends first', async () => {
    const place = await shop(three);
    await place.move('kitchen/mug.glb', 'x');
    await place.move('kitchen/cup.glb', 'kitchen/mug.glb');
    await place.move('x', 'kitchen/cup.glb');
    await place.run('second');
    expect(await place.models()).toEqual({
      bowl: 'm-bowl',
      'kitchen/cup': 'm-kitchen/mug',
      'kitchen/mug': 'm-kitchen/cup',
    });
  });

  it('of another recipe begins where that differs', async () => {
    const place = await shop(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const { assets } = await place.preview({ recipe: otherRecipe });
    expect(assets.find(({ key }) => key === 'mugs/mug')).toMatchObject({
      reason: 'recipe',
      moved: { key: 'kitchen/mug', isGone: true },
    });
    const { assets: opened } = await place.run('second', { recipe: otherRecipe });
    expect(opened.find(({ key }) => key === 'mugs/mug')?.refs).toEqual({
      modelId: 'm-kitchen/mug',
    });
  });

  it('reads only what is of the size of a record, each once', async () => {
    const place = await shop(three);
    for (let at = 0; at < 20; at += 1) {
      await putFile(place.folder, `new-${at}.glb`, 'n'.repeat(20 + at), longAgoMs);
    }
    await place.preview();
    expect(place.reads).toEqual([]);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const { moved } = await place.preview();
    expect(place.reads).toEqual(['mugs/mug.glb']);
    expect(moved?.read).toEqual({ files: 1, bytes: 4 });
  });

  it('lists all before it begins', async () => {
    const { source } = await shop({});
    expect(goesInStretches(source)).toBe(false);
    expect(goesInStretches({ ...source, identity: 'path' })).toBe(true);
  });
});

describe('with identity: path', () => {
  it('is a new asset, and told so', async () => {
    const place = await shop(three, 'path');
    await place.move('kitchen', 'pantry');
    const found = await place.preview();
    expect(fates(found).assets).toEqual({ 'pantry/cup': 'new', 'pantry/mug': 'new' });
    const run = { ...place.source, ...place.runOptions };
    const { warnings } = await discoverStretch(place.storeOf('second'), run, 0);
    const message = expect.stringMatching(
      /^2 new assets .*kitchen\/cup → pantry\/cup.*identity: content/,
    ) as string;
    expect(warnings).toEqual([{ key: 'take', message }]);
  });

  it('reads nothing where nothing is gone', async () => {
    const place = await shop(three, 'path');
    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    await place.preview();
    expect(place.reads).toEqual([]);
  });

  it('reads a few of very many', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`a/${at}.glb`, `${at + 10}`]),
    );
    const place = await shop(files, 'path');
    await place.move('a', 'b');
    const { moved } = await place.preview();
    expect(place.reads).toHaveLength(16);
    expect(moved).toMatchObject({ isCut: true, isTaken: false });
  });
});

describe('colorways of a model', () => {
  const gridOf = (...names: string[]): Grid => ({
    refused: () => [],
    keysOf: (model) => names.map((name) => `${model}@${name}`),
    cellsOf: (model, source) =>
      names.map((name) => ({
        key: `${model}@${name}`,
        source: { ...source, colorway: { name, model, rules: [] } },
      })),
  });

  it('move together, and a new one has their model', async () => {
    const place = await shop(three, 'content', gridOf('Oak', 'Navy'));
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const grid = gridOf('Oak', 'Navy', 'Red');
    const { assets } = await previewDiscovery(place.storeOf('later'), { ...place.source, grid });
    const ofMug = assets.filter(({ key }) => key.startsWith('mugs/'));
    expect(ofMug.map(({ key, moved, reason }) => [key, moved?.key ?? reason])).toEqual([
      ['mugs/mug@Oak', 'kitchen/mug@Oak'],
      ['mugs/mug@Navy', 'kitchen/mug@Navy'],
      ['mugs/mug@Red', 'new'],
    ]);
    expect(ofMug[2]?.refs).toEqual({ modelId: 'm-kitchen/mug@Oak' });
    expect(place.reads).toEqual(['mugs/mug.glb']);
    await place.run('second');
    const keys = Object.keys(await place.models()).filter((key) => key.includes('mug'));
    expect(keys.sort()).toEqual(['mugs/mug@Navy', 'mugs/mug@Oak']);
  });
});

describe('two runs at once', () => {
  it('give a record to one of two keys', async () => {
    const place = await shop(three);
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
    const settled = first.assets.map((asset) => settledAs('complete', asset));
    await settleAssets(a, { shard: 0, part: 0, settled });
    // What another run has moved since is found where it is by the next one.
    expect((await openShard(b, 0, alive)).assets).toEqual([]);
    const { assets } = await place.run('c');
    expect(assets).toMatchObject([{ key: 'cups/mug', refs: { modelId: 'm-kitchen/mug' } }]);
  });

  it('leave the files of a source that came back meanwhile', async () => {
    const place = await shop(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const store = place.storeOf('a');
    await discoverRun(store, { ...place.source, ...place.runOptions });
    const tidied: string[] = [];
    const { assets } = await openShard(store, 0, alive);
    await place.move('mugs/mug.glb', 'kitchen/mug.glb');
    await place.run('b');
    const settled = assets.map((asset) =>
      settledAs('complete', asset, { files: [fileOf('mugs/mug', 'kitchen/mug.png')] }),
    );
    await settleAssets(
      store,
      { shard: 0, part: 0, settled },
      {
        tidy: async ({ files }) => {
          tidied.push(...files.flatMap(({ was }) => was ?? []));
          return [];
        },
      },
    );
    expect(tidied).toEqual([]);
    expect(await place.models()).toMatchObject({ 'kitchen/mug': 'm-kitchen/mug' });
  });
});

describe('a run that is killed', () => {
  /** The run `killed` comes to one operation of its store and no further; null where it came to its end. */
  async function killedAt(diesAt: number, swaps: boolean) {
    const place = await shop(three);
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
    ['moves two at once', true, { 'kitchen/mug': 'm-kitchen/cup', 'kitchen/cup': 'm-kitchen/mug' }],
  ])('where it %s, is ended by the next one', async (_what, swaps, models) => {
    let lastOperation = 0;
    for (let diesAt = 0; ; diesAt += 1) {
      const { place, isWhole } = await killedAt(diesAt, swaps);
      const { assets } = await place.run('next');
      // Nothing is made anew: all that it goes on with is on record.
      for (const { refs } of assets)
        expect(refs, String(diesAt)).toMatchObject({ jobId: expect.stringMatching(/^j-kitchen/) });
      expect(await place.models(), String(diesAt)).toEqual({ bowl: 'm-bowl', ...models });
      expect(place.tidied, String(diesAt)).toContain('kitchen/mug.png');
      const names = [...place.bucket.files.keys()].filter((name) => name.includes('/claims/%1f'));
      expect(names, String(diesAt)).toEqual([]);
      expect((await place.run('last')).found, String(diesAt)).toMatchObject({ new: 0, changed: 0 });
      lastOperation = diesAt;
      if (isWhole) break;
    }
    expect(lastOperation).toBeGreaterThan(25);
  });
});
