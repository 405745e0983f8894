// The assets that a person selects for one run from a folder of models.
import { describe, expect, it, test } from 'vitest';
import { compileSelection, OnlyError } from '../../src/engine/discovery/compile-selection.ts';
import { WhereError } from '../../src/engine/discovery/condition.ts';
import { idRules } from '../../src/features/run-store.ts';
import type { Selection } from '../../src/plan/run/selection.ts';
import { discoverRun, previewDiscovery } from '../../src/store/discovery/discover-run.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { longAgoMs, modelsFolder, reasons } from './_models-folder.ts';
import { alive } from './_store.ts';

const files = { 'shoes/a.glb': 'one', 'shoes/red/b.glb': 'two', 'boots/c.glb': 'three' };

async function chosen(selection: Selection, run = 'later') {
  const { source, storeOf } = await modelsFolder(files);
  const selector = compileSelection(selection);
  const { assets, counts } = await previewDiscovery(storeOf(run), { ...source, selector });
  return { keys: assets.map(({ key }) => key), counts };
}

describe('--only and --where', () => {
  test.each<[string, Selection, string[]]>([
    ['a key', { only: ['shoes/a'] }, ['shoes/a']],
    ['a path', { only: ['shoes/a.glb'] }, ['shoes/a']],
    ['a glob within a folder', { only: ['shoes/*'] }, ['shoes/a']],
    ['a glob across folders', { only: ['shoes/**'] }, ['shoes/a', 'shoes/red/b']],
    ['several keys', { only: ['boots/c', 'shoes/a'] }, ['boots/c', 'shoes/a']],
    ['a condition', { where: 'size > 3' }, ['boots/c']],
    ['a condition over the key', { where: 'key.startsWith("shoes/r")' }, ['shoes/red/b']],
    [
      'both a glob and a condition',
      { only: ['shoes/**'], where: 'key != "shoes/a"' },
      ['shoes/red/b'],
    ],
    ['no matching file', { only: ['hats/**'] }, []],
  ])('the assets are selected by %s', async (_what, selection, keys) => {
    const found = await chosen(selection);
    expect(found.keys).toEqual(keys);
    // Assets that were not selected are not part of the run.
    expect(found.counts).toMatchObject({ total: keys.length, new: keys.length, unchanged: 0 });
  });

  it('changed files are distinguished from new and unchanged files', async () => {
    const { folder, source, storeOf, deliver } = await modelsFolder(files);
    await deliver('first');
    await putFile(folder, 'boots/c.glb', 'other one', longAgoMs);
    const selector = compileSelection({ where: 'reason == "changed"' });
    const found = await previewDiscovery(storeOf('later'), { ...source, selector });
    expect([reasons(found), found.counts]).toEqual([
      { 'boots/c': 'changed' },
      { total: 1, new: 0, changed: 1, unchanged: 0 },
    ]);
  });

  it('an asset for which the condition fails is refused, and the others are selected', async () => {
    const { source, storeOf } = await modelsFolder({ 'chair-12.glb': 'one', 'lamp.glb': 'two' });
    const selector = compileSelection({ where: 'int(key.split("-")[1]) > 9' });
    const found = await previewDiscovery(storeOf('later'), { ...source, selector });
    expect(reasons(found)).toEqual({ 'chair-12': 'new' });
    // A rerun finds a refused source by its path.
    expect(found.refused).toMatchObject([{ key: 'lamp.glb', code: 'EXPRESSION_FAILED' }]);
    expect(found.counts).toMatchObject({ total: 2, new: 1 });
  });

  test.each<[Selection, typeof OnlyError | typeof WhereError, RegExp]>([
    [{ only: ['a['] }, OnlyError, /--only "a\["/],
    [{ where: 'sise > 3' }, WhereError, /unknown variable: sise/i],
    [{ where: 'size' }, WhereError, /results in a double, not in true or false/],
  ])('%o is not a valid selection', (selection, kind, message) => {
    expect(() => compileSelection(selection)).toThrow(kind);
    expect(() => compileSelection(selection)).toThrow(message);
  });
});

describe('--force', () => {
  const made = () => ({ platformIds: { modelId: 'm-1', projectId: 'p-1', jobId: 'j-1' } });

  it('--force selects unchanged files, which are not selected without it', async () => {
    const { source, storeOf, deliver } = await modelsFolder(files);
    await deliver('first', { made });
    const look = async (selection: Selection) =>
      previewDiscovery(storeOf('later'), { ...source, selector: compileSelection(selection) });
    expect(reasons(await look({ only: ['shoes/**'] }))).toEqual({});
    const forced = await look({ only: ['shoes/**'], force: true });
    expect(reasons(forced)).toEqual({ 'shoes/a': 'force', 'shoes/red/b': 'force' });
    expect(forced.counts).toEqual({ total: 2, new: 0, changed: 2, unchanged: 0 });
  });

  it('--force reuses only the uploaded model, even when the shard is opened twice', async () => {
    const { source, storeOf, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first', { made });
    const store = storeOf('again');
    const run = {
      ...source,
      selector: compileSelection({ force: true }),
      parameters: {},
      shardSize: 2,
    };
    await discoverRun(store, run);
    for (const _time of ['first', 'second']) {
      const { assets, taken, complete } = await openShard(store, 0, alive);
      expect(assets.map(({ key, platformIds }) => [key, platformIds])).toEqual([
        ['a', { modelId: 'm-1' }],
      ]);
      expect([taken, complete]).toEqual([[], []]);
    }
    expect(idRules.isUploaded({ modelId: 'm-1' })).toBe(true);
  });

  it('--force does not update the last run of the pipeline', async () => {
    const { source, storeOf, deliver } = await modelsFolder(files);
    await deliver('first');
    const before = await storeOf('x').lastRun();
    const run = { ...source, selector: compileSelection({ only: ['boots/c'], force: true }) };
    await discoverRun(storeOf('part'), { ...run, parameters: { a: 1 }, shardSize: 2 });
    expect(await storeOf('x').lastRun()).toEqual(before);
  });
});
