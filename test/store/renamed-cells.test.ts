// Cells of a grid that look as delivered, although the grid was edited: nothing is rendered again.
import { describe, expect, it } from 'vitest';
import type { SwapRule } from '../../src/features/slots/swap-rule.ts';
import { workStages } from '../../src/plan/stages.ts';
import { previewDiscovery } from '../../src/store/discovery/discover-run.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';
import { keyVerdictOf } from '../../src/store/discovery/key-verdict.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { createDeliveredFolder } from './_delivered-folder.ts';
import { longAgoMs } from './_models-folder.ts';

const models = { 'mug.glb': 'mug!', 'bowl.glb': 'bowl' };
const navy = { matchText: 'body', matchMode: 'exact', material: 'Navy' } as const;
const oak = { ...navy, material: 'Oak' };
const brass = { ...navy, matchText: 'handle', material: 'Brass' };

type Colorways = Record<string, readonly SwapRule[]>;

function gridOf(colorways: Colorways): Grid {
  const keysOf = (model: string) => Object.keys(colorways).map((name) => `${model}@${name}`);
  return {
    failuresOf: () => [],
    locate: () => '',
    keysOf,
    cellsOf: (model, source) =>
      Object.entries(colorways).map(([name, rules]) => ({
        key: `${model}@${name}`,
        source: inCell(source, model, colorway(name, rules)),
      })),
  };
}

/** Delivers models in some colorways, and finds the work of a later run with other ones. */
async function regrid(
  before: Colorways,
  after: Colorways,
  change: (folder: string) => Promise<void> = async () => undefined,
) {
  const place = await createDeliveredFolder(models, 'path', gridOf(before));
  await change(place.folder);
  const source = { ...place.source, grid: gridOf(after) };
  const found = await previewDiscovery(place.storeOf('later'), source);
  const fates = found.assets.map(({ key, reason, moved }) => [
    key,
    moved ? `from ${moved.key}` : reason,
  ]);
  return { place, source, found, fates: Object.fromEntries(fates) };
}

describe('a colorway', () => {
  it.each<[string, Colorways, Colorways, object]>([
    [
      'with a new name takes over the work of its old name',
      { Navy: [navy], Oak: [oak] },
      { 'Dark blue': [navy], Oak: [oak] },
      { 'mug@Dark blue': 'from mug@Navy', 'bowl@Dark blue': 'from bowl@Navy' },
    ],
    [
      'with a new name and other materials is new',
      { Navy: [navy] },
      { 'Dark blue': [oak] },
      { 'mug@Dark blue': 'new', 'bowl@Dark blue': 'new' },
    ],
    [
      'with the materials of one that still exists is new',
      { Navy: [navy] },
      { Navy: [navy], 'Dark blue': [navy] },
      { 'mug@Dark blue': 'new', 'bowl@Dark blue': 'new' },
    ],
    [
      'that swaps its name with another one takes over the work under that name',
      { First: [navy], Second: [oak] },
      { First: [oak], Second: [navy] },
      {
        'mug@First': 'from mug@Second',
        'mug@Second': 'from mug@First',
        'bowl@First': 'from bowl@Second',
        'bowl@Second': 'from bowl@First',
      },
    ],
    [
      'whose name goes to a new one takes its work along',
      { First: [navy] },
      { First: [oak], Second: [navy] },
      {
        'mug@First': 'new',
        'mug@Second': 'from mug@First',
        'bowl@First': 'new',
        'bowl@Second': 'from bowl@First',
      },
    ],
    [
      'in a column that was shifted by one takes over the work of the next name',
      { First: [navy], Second: [oak], Third: [brass] },
      { Second: [navy], Third: [oak] },
      {
        'mug@Second': 'from mug@First',
        'mug@Third': 'from mug@Second',
        'bowl@Second': 'from bowl@First',
        'bowl@Third': 'from bowl@Second',
      },
    ],
    [
      'with other materials is made again from its model',
      { First: [navy], Second: [oak] },
      { First: [brass], Second: [oak] },
      { 'mug@First': 'recipe', 'bowl@First': 'recipe' },
    ],
  ])('a colorway %s', async (_, before, after, fates) => {
    expect((await regrid(before, after)).fates).toEqual(fates);
  });

  it('each of several colorways with the same materials is taken over once', async () => {
    const before = { Navy: [navy], Blue: [navy] };
    const { found } = await regrid(before, { Sea: [navy], Sky: [navy], Ink: [navy] });
    const ofMug = found.assets.filter(({ key }) => key.startsWith('mug'));
    const fromKeys = ofMug.map(({ moved }) => moved?.key ?? 'new');
    expect(fromKeys.toSorted()).toEqual(['mug@Blue', 'mug@Navy', 'new']);
  });

  it('a renamed colorway is neither removed nor counted as new', async () => {
    const { found } = await regrid({ Navy: [navy], Oak: [oak] }, { 'Dark blue': [navy] });
    expect(found.removed).toEqual(['bowl@Oak', 'mug@Oak']);
    expect(found.counts).toMatchObject({ new: 0, changed: 2, unchanged: 0 });
    expect(found.moved).toMatchObject({ isTaken: true, read: { files: 0 } });
    expect(keyVerdictOf('mug@Navy', found).movedTo).toBe('mug@Dark blue');
  });

  it('a rename reuses model, project and render, and deletes the old file and record', async () => {
    const { place, source } = await regrid({ Navy: [navy] }, { 'Dark blue': [navy] });
    Object.assign(place.source, source);
    const { assets } = await place.run('second');
    const [bowl] = assets;
    expect(bowl?.platformIds).toMatchObject({ projectId: 'p-bowl@Navy', jobId: 'j-bowl@Navy' });
    expect(place.tidied).toEqual(['bowl@Navy.png', 'mug@Navy.png']);
    const models = { 'bowl@Dark blue': 'm-bowl@Navy', 'mug@Dark blue': 'm-mug@Navy' };
    expect(await place.models()).toEqual(models);
  });

  it('the model of a colorway whose work went to another name is reused', async () => {
    const { found } = await regrid({ First: [navy] }, { First: [oak], Second: [navy] });
    const assets = found.assets.filter(({ reason }) => reason === 'new');
    expect(assets).toMatchObject([
      { key: 'bowl@First', platformIds: { modelId: 'm-bowl@First' } },
      { key: 'mug@First', platformIds: { modelId: 'm-mug@First' } },
    ]);
    expect(assets.every(({ previous }) => previous === undefined)).toBe(true);
  });

  describe('that swapped its name with another one', () => {
    const swap = async () => {
      const before = { First: [navy], Second: [oak] };
      const { place, source } = await regrid(before, { First: [oak], Second: [navy] });
      Object.assign(place.source, source);
      return place;
    };
    const swapped = {
      'bowl@First': 'm-bowl@Second',
      'bowl@Second': 'm-bowl@First',
      'mug@First': 'm-mug@Second',
      'mug@Second': 'm-mug@First',
    };
    const nothingToDo = { new: 0, changed: 0, unchanged: 4 };

    it('has the finished work under its new name, and the next run has nothing to do', async () => {
      const place = await swap();
      const { assets } = await place.run('second');
      const ids = assets.map(({ key, platformIds }) => [key, platformIds.jobId]);
      expect(Object.fromEntries(ids)).toMatchObject({ 'mug@First': 'j-mug@Second' });
      expect(await place.models()).toEqual(swapped);
      expect((await place.run('third')).found).toMatchObject(nothingToDo);
    });

    it.each(['First', 'Second'])('takes over its work if only %s was finished', async (name) => {
      const place = await swap();
      await place.run('second', { finishes: ({ key }) => key.endsWith(`@${name}`) });
      const { assets } = await place.run('third');
      expect(assets.map(({ key }) => key.endsWith(`@${name}`))).toEqual([false, false]);
      expect(await place.models()).toEqual(swapped);
      expect((await place.run('fourth')).found).toMatchObject(nothingToDo);
    });

    const isSelected = ({ key }: { key: string }) => key.endsWith('@First');
    const selector = { isSelected, isRefusedSelected: () => false, force: false };

    it('leaves the work of the other one to the next run, if this run takes only one', async () => {
      const place = await swap();
      await place.run('second', { selector });
      const { assets } = await place.run('third');
      expect(assets.map(({ key }) => key)).toEqual(['bowl@Second', 'mug@Second']);
      expect(await place.models()).toEqual(swapped);
    });

    it('has its first work again if the names are swapped back after a run that took only one', async () => {
      const place = await swap();
      await place.run('second', { selector });
      Object.assign(place.source, { grid: gridOf({ First: [navy], Second: [oak] }) });
      const { assets, taken } = await place.run('third');
      const ids = assets.map(({ key, platformIds }) => [key, platformIds.jobId]);
      expect(Object.fromEntries(ids)).toEqual({
        'bowl@First': 'j-bowl@First',
        'bowl@Second': 'j-bowl@Second',
        'mug@First': 'j-mug@First',
        'mug@Second': 'j-mug@Second',
      });
      expect(taken).toEqual([]);
      expect((await place.run('fourth')).found).toMatchObject(nothingToDo);
    });
  });

  it.each([
    ['another table', { location: 'another table' }],
    ['a run with other parameters, which may choose other names', { parametersHash: 'de' }],
    ['a pipeline in which the name decides how pictures look', { readsCellNames: true }],
  ])('the colorways of %s are not taken over', async (_, change) => {
    const { place, source } = await regrid({ Navy: [navy] }, { 'Dark blue': [navy] });
    const { assets } = await previewDiscovery(place.storeOf('later'), { ...source, ...change });
    expect(assets.map(({ reason }) => reason)).toEqual(['new', 'new']);
  });
});

describe('a model whose file only has a new time', () => {
  /** Delivers models in some colorways, gives their files a new time, and runs with other colorways. */
  async function rerun(before: Colorways, after: Colorways, change: 'time' | 'content' = 'time') {
    const { place, source, found } = await regrid(before, after, async (folder) => {
      for (const [path, content] of Object.entries(models)) {
        const text = change === 'time' ? content : content.toUpperCase();
        await putFile(folder, path, text, longAgoMs + 60_000);
      }
    });
    Object.assign(place.source, source);
    const { assets } = await place.run('second');
    return { place, planned: found.assets, assets };
  }

  it('a renamed colorway of it takes over the finished work', async () => {
    const { place, planned } = await rerun({ Navy: [navy] }, { 'Dark blue': [navy] });
    expect(planned).toMatchObject([
      { key: 'bowl@Dark blue', reusableStages: workStages, moved: { key: 'bowl@Navy' } },
      { key: 'mug@Dark blue', reusableStages: workStages, moved: { key: 'mug@Navy' } },
    ]);
    const models = { 'bowl@Dark blue': 'm-bowl@Navy', 'mug@Dark blue': 'm-mug@Navy' };
    expect(await place.models()).toEqual(models);
  });

  it('two colorways of it can swap their names', async () => {
    const before = { First: [navy], Second: [oak] };
    const { place } = await rerun(before, { First: [oak], Second: [navy] });
    expect(await place.models()).toMatchObject({
      'mug@First': 'm-mug@Second',
      'mug@Second': 'm-mug@First',
    });
  });

  it('a new colorway of it uses the uploaded model', async () => {
    const after = { Navy: [navy], Oak: [oak] };
    const { planned, assets } = await rerun({ Navy: [navy] }, after);
    const expected = [
      { key: 'bowl@Oak', platformIds: { modelId: 'm-bowl@Navy' } },
      { key: 'mug@Oak', platformIds: { modelId: 'm-mug@Navy' } },
    ];
    expect(planned).toMatchObject(expected);
    expect(assets).toMatchObject(expected);
  });

  it('a model with other content of the same size is uploaded again', async () => {
    const after = { 'Dark blue': [navy], Oak: [oak] };
    const { planned } = await rerun({ Navy: [navy] }, after, 'content');
    expect(planned.map(({ reason, platformIds }) => [reason, platformIds])).toEqual(
      planned.map(() => ['new', undefined]),
    );
  });
});

describe('a table whose rows were sorted', () => {
  it.each([
    ['nothing is done if rows match whole names', 'exact', []],
    ['the colorways are made again if rows match parts of names', 'contains', ['recipe', 'recipe']],
  ] as const)('%s', async (_, matchMode, reasons) => {
    const rules = [navy, brass].map((rule) => ({ ...rule, matchMode }));
    const { found } = await regrid({ Navy: rules }, { Navy: rules.toReversed() });
    expect(found.assets.map(({ reason }) => reason)).toEqual(reasons);
  });

  it('a colorway that was renamed at the same time starts at its delivery', async () => {
    const { found } = await regrid({ Navy: [navy, brass] }, { 'Dark blue': [brass, navy] });
    expect(found.assets).toMatchObject([
      { key: 'bowl@Dark blue', reusableStages: ['source', 'composition', 'render', 'sheet'] },
      { key: 'mug@Dark blue', reusableStages: ['source', 'composition', 'render', 'sheet'] },
    ]);
  });
});
