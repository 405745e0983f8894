// Sources that were delivered under another key. They are recognized by content, and reused only if the source of the
// old key is missing.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ExpressionError } from '../../src/language/expressions.ts';
import { workStages } from '../../src/plan/stages.ts';
import {
  canDiscoverInPages,
  discoverPage,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';
import { keyVerdictOf } from '../../src/store/discovery/key-verdict.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { createDeliveredFolder, type DeliveredFolder, three } from './_delivered-folder.ts';
import { longAgoMs, modelsFolder } from './_models-folder.ts';

const otherRecipe = 'bbbbbbbb00000000';

const fates = ({ assets, moved }: Awaited<ReturnType<DeliveredFolder['preview']>>) => ({
  assets: Object.fromEntries(
    assets.map(({ key, reason, moved: from }) => [key, from ? `from ${from.key}` : reason]),
  ),
  copies: Object.fromEntries((moved?.copies ?? []).map(({ key, original }) => [key, original])),
});

describe('a source with `identity: content`', () => {
  it.each<[string, (shop: DeliveredFolder) => Promise<unknown>, object, object]>([
    ['nothing changed', async () => undefined, {}, {}],
    [
      'a file was moved to another folder',
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
      'two files swapped names',
      async ({ move }) => {
        await move('kitchen/mug.glb', 'x');
        await move('kitchen/cup.glb', 'kitchen/mug.glb');
        await move('x', 'kitchen/cup.glb');
      },
      { 'kitchen/cup': 'from kitchen/mug', 'kitchen/mug': 'from kitchen/cup' },
      {},
    ],
    [
      'a file replaced another file',
      ({ move }) => move('kitchen/mug.glb', 'kitchen/cup.glb'),
      { 'kitchen/cup': 'from kitchen/mug' },
      {},
    ],
    [
      'a file was moved, and a new file got its old name',
      async ({ move, folder }) => {
        await move('kitchen/mug.glb', 'old/mug.glb');
        await putFile(folder, 'kitchen/mug.glb', 'a new mug', longAgoMs);
      },
      { 'old/mug': 'from kitchen/mug', 'kitchen/mug': 'new' },
      {},
    ],
    [
      'a file was moved and rewritten',
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
      'two new files have the same content',
      async ({ folder }) => {
        await putFile(folder, 'one.glb', 'both of them', longAgoMs);
        await putFile(folder, 'two.glb', 'both of them', longAgoMs);
      },
      { one: 'new', two: 'new' },
      { two: 'one' },
    ],
  ])('new assets, moves and copies are told apart: %s', async (_what, act, assets, copies) => {
    const place = await createDeliveredFolder(three);
    await act(place);
    expect(fates(await place.preview())).toEqual({ assets, copies });
  });

  it('a move is explained under both keys', async () => {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const found = await place.preview();
    expect(keyVerdictOf('mugs/mug', found)).toMatchObject({
      verdict: 'recipe',
      startStage: 'delivery',
      movedFrom: 'kitchen/mug',
    });
    expect(keyVerdictOf('kitchen/mug', found)).toMatchObject({
      verdict: 'absent',
      movedTo: 'mugs/mug',
    });
  });

  it('files with the same content are paired by their names', async () => {
    const place = await createDeliveredFolder({ 'a/one.glb': 'same', 'a/two.glb': 'same' });
    await place.move('a/two.glb', 'b/two.glb');
    await place.move('a/one.glb', 'c/one.glb');
    expect(fates(await place.preview()).assets).toEqual({
      'b/two': 'from a/two',
      'c/one': 'from a/one',
    });
  });

  it('nothing is taken from an excluded file that still exists', async () => {
    const place = await createDeliveredFolder(three);
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

  it('nothing is taken from a file that only has another key', async () => {
    const place = await createDeliveredFolder(three);
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

  it('the record continues under the new key, with all created resources and without additional cost', async () => {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const { assets } = await place.run('second');
    expect(assets).toMatchObject([
      {
        key: 'mugs/mug',
        platformIds: {
          modelId: 'm-kitchen/mug',
          jobId: 'j-kitchen/mug',
          reusableStages: ['source', 'composition', 'render'],
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

  it('both of two files with swapped names are kept, whichever is finalized first', async () => {
    const place = await createDeliveredFolder(three);
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

  it('nothing is taken from an older record of the same key that a crash has left behind', async () => {
    const place = await createDeliveredFolder(three);
    const { records } = place.storeOf('x');
    const older = await records.find('kitchen/mug');
    await putFile(place.folder, 'kitchen/mug.glb', 'a new mug', longAgoMs);
    await place.run('second');
    if (older) await records.write({ ...older, finishedAt: '2026-01-01T00:00:00Z' });
    await putFile(place.folder, 'kitchen/mug.glb', three['kitchen/mug.glb'], longAgoMs + 1_000);
    const restored = await place.preview();
    expect(fates(restored)).toEqual({ assets: { 'kitchen/mug': 'changed' }, copies: {} });
    expect(restored.moved?.moved).toEqual([]);

    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    expect(fates(await place.preview()).assets).toEqual({
      'kitchen/mug': 'changed',
      'mugs/mug': 'from kitchen/mug',
    });
  });

  it('a moved source under another recipe keeps only its model', async () => {
    const place = await createDeliveredFolder(three);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const { assets } = await place.preview({ recipe: otherRecipe });
    expect(assets.find(({ key }) => key === 'mugs/mug')).toMatchObject({
      reason: 'recipe',
      moved: { key: 'kitchen/mug', isKeyUnused: true },
    });
    const { assets: opened } = await place.run('second', { recipe: otherRecipe });
    expect(opened.find(({ key }) => key === 'mugs/mug')?.platformIds).toEqual({
      modelId: 'm-kitchen/mug',
    });
  });

  it('a withdrawn product that returns under another name costs nothing', async () => {
    const place = await createDeliveredFolder(three);
    const { records } = place.storeOf('x');
    const { name } = (await records.index()).get('kitchen/mug') ?? {};
    const record = await records.read(name ?? '');
    if (!record || !name) throw new Error('it was delivered');
    const withdrawn = { state: 'withdrawn', run: 'x', at: '', archived: 1, deleted: 0 } as const;
    await records.write({ ...record, withdrawn }, [name]);
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    expect((await place.preview()).assets).toMatchObject([{ reusableStages: workStages }]);
    const { assets } = await place.run('second');
    expect(assets).toMatchObject([
      {
        key: 'mugs/mug',
        platformIds: {
          jobId: 'j-kitchen/mug',
          reusableStages: ['source', 'composition', 'render'],
        },
      },
    ]);
    expect((await place.run('third')).found).toMatchObject({ new: 0, changed: 0, unchanged: 3 });
  });

  it('only files with the size of a record are read, each once', async () => {
    const place = await createDeliveredFolder(three);
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

  it('at most 1000 files that cannot have been moved are read to find copies', async () => {
    const place = await createDeliveredFolder({});
    const files = Array.from({ length: 1_200 }, (_, at) => `${at}.glb`);
    for (const name of files) await putFile(place.folder, name, name.padStart(20), longAgoMs);
    expect((await place.preview()).moved).toMatchObject({ copies: [], isCut: true });
    expect(place.reads).toHaveLength(1_000);
  });

  it('a run lists all files before it starts', async () => {
    const { source } = await createDeliveredFolder({});
    expect(canDiscoverInPages(source)).toBe(false);
    expect(canDiscoverInPages({ ...source, identity: 'path' })).toBe(true);
  });
});

describe('a source with `identity: path`', () => {
  it('a moved file is a new asset, with a warning', async () => {
    const place = await createDeliveredFolder(three, 'path');
    await place.move('kitchen', 'pantry');
    const found = await place.preview();
    expect(fates(found).assets).toEqual({ 'pantry/cup': 'new', 'pantry/mug': 'new' });
    const run = { ...place.source, ...place.runOptions };
    const { warnings } = await discoverPage(place.storeOf('second'), run, 0);
    const message = expect.stringMatching(
      /^2 new assets .*kitchen\/cup → pantry\/cup.*identity: content/,
    ) as string;
    expect(warnings).toEqual([{ key: 'take', message }]);
  });

  it('no file is read if no source is missing', async () => {
    const place = await createDeliveredFolder(three, 'path');
    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    await place.preview();
    expect(place.reads).toEqual([]);
  });

  it('at most 16 files are read', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, at) => [`a/${at}.glb`, `${at + 10}`]),
    );
    const place = await createDeliveredFolder(files, 'path');
    await place.move('a', 'b');
    const { moved } = await place.preview();
    expect(place.reads).toHaveLength(16);
    expect(moved).toMatchObject({ isCut: true, isTaken: false });
  });

  it('a file is compared with some of the records of its size, and read once', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 70 }, (_, at) => [`a/${at}.glb`, `${at + 10}`]),
    );
    const place = await createDeliveredFolder(files, 'path');
    await place.move('a/9.glb', 'b/9.glb');
    await rm(join(place.folder, 'a'), { recursive: true });
    const { moved } = await place.preview();
    expect(place.reads).toHaveLength(1);
    expect(moved).toMatchObject({ isCut: true, isTaken: false });
  });
});

describe('colorways of a model', () => {
  const gridOf = (...names: string[]): Grid => ({
    failuresOf: () => [],
    locate: () => '',
    keysOf: (model) => names.map((name) => `${model}@${name}`),
    cellsOf: (model, source) =>
      names.map((name) => ({
        key: `${model}@${name}`,
        source: inCell(source, model, colorway(name)),
      })),
  });

  it('the colorways stay with a model that exists but is refused', async () => {
    const grid = gridOf('Oak');
    const place = await createDeliveredFolder(three, 'content', grid);
    await place.copy('kitchen/mug.glb', 'mugs/mug.glb');
    const cellsOf: Grid['cellsOf'] = (model, source) => {
      if (model === 'kitchen/mug') throw new ExpressionError('asset.name', 'out of bounds');
      return grid.cellsOf(model, source);
    };
    const source = { ...place.source, grid: { ...grid, cellsOf } };
    const found = await previewDiscovery(place.storeOf('later'), source);
    expect(fates(found).assets).toEqual({ 'mugs/mug@Oak': 'new' });
  });

  it('the colorways move together, and a new one gets their model', async () => {
    const place = await createDeliveredFolder(three, 'content', gridOf('Oak', 'Navy'));
    await place.move('kitchen/mug.glb', 'mugs/mug.glb');
    const grid = gridOf('Oak', 'Navy', 'Red');
    const { assets } = await previewDiscovery(place.storeOf('later'), { ...place.source, grid });
    const ofMug = assets.filter(({ key }) => key.startsWith('mugs/'));
    expect(ofMug.map(({ key, moved, reason }) => [key, moved?.key ?? reason])).toEqual([
      ['mugs/mug@Oak', 'kitchen/mug@Oak'],
      ['mugs/mug@Navy', 'kitchen/mug@Navy'],
      ['mugs/mug@Red', 'new'],
    ]);
    expect(ofMug[2]?.platformIds).toEqual({ modelId: 'm-kitchen/mug@Oak' });
    expect(place.reads).toEqual(['mugs/mug.glb']);
    await place.run('second');
    const keys = Object.keys(await place.models()).filter((key) => key.includes('mug'));
    expect(keys.sort()).toEqual(['mugs/mug@Navy', 'mugs/mug@Oak']);
  });
});
