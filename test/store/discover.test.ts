import { rename, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import {
  discoverPage,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import type { UnfinishedAsset } from '../../src/store/discovery/unfinished-assets.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { putFile } from '../connectors/_temp-folder.ts';
import { longAgoMs, modelsFolder, overwrite, reasons } from './_models-folder.ts';
import { alive, startMs } from './_store.ts';

describe('an emptied source', () => {
  const run = { parameters: {}, shardSize: 10 };

  it.each([
    ['in one pass', discoverRun],
    [
      'in discovery pages',
      (store: RunStore, source: Parameters<typeof discoverRun>[1]) =>
        discoverPage(store, source, 0),
    ],
  ])(
    'an emptied source is reported if assets from it were delivered, when listed %s',
    async (_how, discover) => {
      const { folder, storeOf, source, deliver } = await modelsFolder({ 'a.glb': 'one' });
      await deliver('first');
      await rm(join(folder, 'a.glb'));
      const { warnings } = await discover(storeOf('second'), { ...source, ...run });
      expect(warnings).toMatchObject([
        { message: expect.stringContaining('files of 1 asset were delivered from it') },
      ]);
    },
  );

  it('a source that never contained a file is not reported', async () => {
    const { storeOf, source } = await modelsFolder({});
    expect((await discoverRun(storeOf('first'), { ...source, ...run })).warnings).toBe(undefined);
  });
});

describe('discovery', () => {
  it('discovery finds new files, in the order of their paths', async () => {
    const { preview } = await modelsFolder({
      'b.glb': 'bb',
      'a/z.glb': 'z',
      'a.txt': '',
      '.x.glb': '',
    });
    const found = await preview();
    expect(found.assets).toEqual([
      {
        key: 'a/z',
        reason: 'new',
        source: {
          path: 'a/z.glb',
          bytes: 1,
          mtimeMs: longAgoMs,
          version: expect.stringMatching(/^1-mm7irhc0\.\w{8}$/) as string,
        },
      },
      expect.objectContaining({ key: 'b', source: expect.objectContaining({ bytes: 2 }) }),
    ]);
    expect(found.counts).toEqual({ total: 2, new: 2, changed: 0, unchanged: 0 });
  });

  it('discovery finds nothing to do after everything has been delivered', async () => {
    const { preview, deliver } = await modelsFolder({ 'a.glb': '', 'b.glb': '', 'c.glb': '' });
    await deliver('first');
    const found = await preview();
    expect(found.counts).toEqual({ total: 3, new: 0, changed: 0, unchanged: 3 });
    expect(found.assets).toEqual([]);
  });

  it('discovery writes nothing during a preview', async () => {
    const { connector, preview } = await modelsFolder({ 'a.glb': '' });
    await preview();
    const names: string[] = [];
    for await (const name of connector.names('.renderline')) names.push(name);
    expect(names).toEqual([]);
  });

  it('discovery finds changed files, with the names of the records that they replace', async () => {
    const { folder, preview, deliver } = await modelsFolder({ 'a.glb': 'one', 'b.glb': '' });
    await deliver('first');
    await putFile(folder, 'a.glb', 'three', longAgoMs);
    const found = await preview();
    expect(found.counts).toEqual({ total: 2, new: 0, changed: 1, unchanged: 1 });
    expect(found.assets).toMatchObject([
      {
        key: 'a',
        reason: 'changed',
        previous: [expect.stringMatching(/^a@3-mm7irhc0\.\w{8}~aaaaaaaa\.json$/)],
      },
    ]);
  });

  it('discovery finds all files when the recipe has changed', async () => {
    const { preview, deliver } = await modelsFolder({ 'a.glb': '', 'b.glb': '' });
    await deliver('first');
    const found = await preview('later', 'bbbbbbbb00000000');
    expect(reasons(found)).toEqual({ a: 'recipe', b: 'recipe' });
    expect(found.counts).toMatchObject({ new: 0, changed: 2, unchanged: 0 });
  });

  it('discovery finds assets that an earlier run has attempted, with the reason `retry`', async () => {
    const { storeOf, preview } = await modelsFolder({ 'a.glb': '', 'b.glb': '' });
    await storeOf('dead').claims.claim({ key: 'a', version: '1-1', shard: 0 }, alive);
    const found = await preview();
    expect(reasons(found)).toEqual({ a: 'retry', b: 'new' });
    expect(found.counts).toMatchObject({ new: 2 });
  });

  it('discovery keeps only the newest record of each asset', async () => {
    const { folder, connector, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first');
    await putFile(folder, 'a.glb', 'three', longAgoMs);
    await deliver('second');
    await deliver('third', { recipe: 'bbbbbbbb00000000' });
    const names: string[] = [];
    for await (const name of connector.names('.renderline/shoes/records')) names.push(name);
    expect(names).toEqual([expect.stringMatching(/records\/a@5-mm7irhc0\.\w{8}~bbbbbbbb\.json$/)]);
  });

  it('discovery does not treat records as models', async () => {
    const { listing, sourceWith, storeOf, deliver } = await modelsFolder({ 'a.glb': '' });
    await deliver('first');
    const config = { ...listing.config, include: ['**/*'] };
    const found = await previewDiscovery(storeOf('later'), sourceWith({ config }));
    expect(found.counts.total).toBe(1);
  });
});

describe('a file that was touched', () => {
  const sha256OfOne = '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed';

  it('a touched file with the same content is not processed again, nor read again by a later run', async () => {
    const { folder, storeOf, source, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first', { hash: sha256OfOne });
    await utimes(join(folder, 'a.glb'), 1_000, 1_000);
    const seen = await preview();
    expect(seen.counts).toEqual({ total: 1, new: 0, changed: 0, unchanged: 1 });
    expect(seen.touched).toHaveLength(1);
    const discovery = await discoverRun(storeOf('second'), {
      ...source,
      parameters: {},
      shardSize: 10,
    });
    expect(discovery).toMatchObject({ unchanged: 1, pages: 0 });
    expect((await preview('third')).touched).toEqual([]);
    expect(await storeOf('third').records.find('a')).toMatchObject({
      source: { mtimeMs: 1_000_000 },
      sourceSha256: sha256OfOne,
      run: 'first',
    });
  });

  it('a touched file is processed again if its content differs at the same size', async () => {
    const { folder, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first', { hash: sha256OfOne });
    await putFile(folder, 'a.glb', 'eno', longAgoMs + 1_000);
    expect(reasons(await preview())).toEqual({ a: 'changed' });
  });

  it('a touched file is processed again if its earlier content is unknown', async () => {
    const { folder, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first');
    await utimes(join(folder, 'a.glb'), 1_000, 1_000);
    expect(reasons(await preview())).toEqual({ a: 'changed' });
  });
});

describe('a file that was overwritten with the same size and time', () => {
  const sha256OfOne = '7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed';

  it('an overwritten file counts as another version, and its record is not reused', async () => {
    const { folder, storeOf, source, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first', { hash: sha256OfOne });
    await overwrite(folder, 'a.glb', 'eno');
    expect(reasons(await preview())).toEqual({ a: 'changed' });
    await discoverRun(storeOf('second'), { ...source, parameters: {}, shardSize: 10 });
    const opened = await openShard(storeOf('second'), 0, alive);
    expect(opened).toMatchObject({
      assets: [{ key: 'a', platformIds: {} }],
      complete: [],
      taken: [],
    });
  });

  it('an overwritten file with the same content is not processed again, nor read again by a later run', async () => {
    const { folder, storeOf, source, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first', { hash: sha256OfOne });
    await overwrite(folder, 'a.glb', 'one');
    expect(await preview()).toMatchObject({ assets: [], touched: [{ source: { bytes: 3 } }] });
    await discoverRun(storeOf('second'), { ...source, parameters: {}, shardSize: 10 });
    expect((await preview('third')).touched).toEqual([]);
  });

  it('an overwritten file counts as unchanged if its earlier content is unknown, and its hash is stored from then on', async () => {
    const { folder, storeOf, source, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first');
    await overwrite(folder, 'a.glb', 'one');
    await discoverRun(storeOf('second'), { ...source, parameters: {}, shardSize: 10 });
    expect(await storeOf('third').records.find('a')).toMatchObject({ sourceSha256: sha256OfOne });
    await overwrite(folder, 'a.glb', 'eno');
    expect(reasons(await preview('third'))).toEqual({ a: 'changed' });
  });

  it('an overwritten file with the same content keeps its platform ids, even under another recipe', async () => {
    const { folder, storeOf, source, deliver } = await modelsFolder({ 'a.glb': 'one' });
    const made = () => ({ platformIds: { modelId: 'model-a' } });
    await deliver('first', { hash: sha256OfOne, made });
    await overwrite(folder, 'a.glb', 'one');
    const store = storeOf('second', 'bbbbbbbb00000000');
    await discoverRun(store, { ...source, parameters: {}, shardSize: 10 });
    const { assets } = await openShard(store, 0, alive);
    expect(assets).toMatchObject([{ key: 'a', platformIds: { modelId: 'model-a' } }]);
  });

  it('a file is unchanged compared to a record without a change time from the store', async () => {
    const { storeOf, preview, deliver } = await modelsFolder({ 'a.glb': 'one' });
    await deliver('first');
    const { records } = storeOf('later');
    const record = await records.find('a');
    if (!record) throw new Error('no record');
    const { schema: _schema, ...kept } = record;
    const version = record.source.version.replace(/\..*/, '');
    const name = [...(await records.index()).entries()].map((entry) => entry.name);
    await records.write({ ...kept, source: { ...record.source, version } }, name);
    expect(await preview()).toMatchObject({ assets: [], touched: [] });
  });
});

describe('files that are not processed', () => {
  it('files are all refused if their keys clash', async () => {
    const { preview } = await modelsFolder({ 'Couch.glb': '', 'couch.glb': '', 'b.glb': '' });
    const found = await preview();
    expect(reasons(found)).toEqual({ b: 'new' });
    expect(found.refused.map(({ key, code, node }) => [key, code, node])).toEqual([
      ['Couch.glb', 'KEY_CLASH', 'take'],
      ['couch.glb', 'KEY_CLASH', 'take'],
    ]);
    expect(found.counts.total).toBe(3);
  });

  it('files with hostile names or links out of the folder are refused, and messages identify them', async () => {
    const { folder, preview } = await modelsFolder({ 'a.glb': '' });
    await writeFile(join(folder, 'back\\slash.glb'), '');
    await writeFile(join(folder, 'aux.glb'), '');
    await symlink('/dev/null', join(folder, 'out.glb'));
    const found = await preview();
    expect(reasons(found)).toEqual({ a: 'new' });
    const refused = found.refused.map(({ code, message }) => `${code} ${message}`).sort();
    expect(refused).toEqual([
      'HOSTILE_PATH aux.glb: "aux.glb" is a device name on Windows',
      'HOSTILE_PATH back\\slash.glb: it contains a backslash',
      'HOSTILE_PATH out.glb: the path is a link that leads out of the folder',
    ]);
    expect(found.counts.total).toBe(4);
  });

  it('files that are still changing are left for the next run', async () => {
    const { folder, sourceWith, storeOf } = await modelsFolder({ 'a.glb': '' });
    await putFile(folder, 'growing.glb', 'x', startMs - 10);
    const wait = async () => {
      await putFile(folder, 'growing.glb', 'xy', startMs);
    };
    const found = await previewDiscovery(storeOf('a'), sourceWith({ wait }));
    expect(reasons(found)).toEqual({ a: 'new' });
    expect(found.later).toEqual(['growing.glb']);
    expect(found.counts).toEqual({ total: 2, new: 1, changed: 0, unchanged: 0 });
  });

  it('an OBJ that grows while it is checked is left for the next run, which takes it', async () => {
    const { folder, sourceWith, storeOf } = await modelsFolder();
    await putFile(folder, 'chair.obj', 'v 0 0 0', startMs - 3_000);
    const wait = async () => {
      await putFile(folder, 'chair.obj', 'v 0 0 0\nf 1 1 1', startMs);
    };
    const half = await previewDiscovery(storeOf('a'), sourceWith({ wait }));
    expect([reasons(half), half.later]).toEqual([{}, ['chair.obj']]);
    const waits: number[] = [];
    const whole = await previewDiscovery(
      storeOf('b'),
      sourceWith({ wait: async (ms) => void waits.push(ms) }),
    );
    expect([reasons(whole), whole.later, waits]).toEqual([{ chair: 'new' }, [], [5_000]]);
  });

  it('files that are already delivered do not delay a run', async () => {
    const { folder, sourceWith, storeOf, deliver } = await modelsFolder();
    await putFile(folder, 'young.glb', 'x', startMs - 10);
    await deliver('first');
    const wait = async () => {
      throw new Error('waited');
    };
    const found = await previewDiscovery(storeOf('later'), sourceWith({ wait }));
    expect(found.counts).toMatchObject({ unchanged: 1 });
  });
});

describe('keys across runs', () => {
  it('a key stays with the recorded file, and a new file of the same name gets its extension', async () => {
    const { folder, preview, deliver } = await modelsFolder({ 'couch.glb': 'x' });
    await deliver('first');
    await putFile(folder, 'couch.fbx', 'other', longAgoMs);
    const found = await preview();
    expect(reasons(found)).toEqual({ 'couch.fbx': 'new' });
    expect(found.counts).toMatchObject({ unchanged: 1 });
    await deliver('second');
    await rm(join(folder, 'couch.glb'));
    expect(reasons(await preview())).toEqual({});
  });

  it('a key follows the path, so a renamed file is a new asset', async () => {
    const { folder, preview, deliver } = await modelsFolder({ 'a.glb': '' });
    await deliver('first');
    await rename(join(folder, 'a.glb'), join(folder, 'b.glb'));
    expect(reasons(await preview())).toEqual({ b: 'new' });
  });

  it('keys are computed by the expression if the source has one', async () => {
    const { source, storeOf } = await modelsFolder({ 'x/7.glb': '', 'y/8.glb': '' });
    const keyOf = ({ path }: { path: string }) => `sku-${path.slice(2, 3)}`;
    const found = await previewDiscovery(storeOf('a'), { ...source, keyOf });
    expect(reasons(found)).toEqual({ 'sku-7': 'new', 'sku-8': 'new' });
  });
});

describe('the discovery of a run', () => {
  it('a discovery has the same result when it runs twice, even if files were added in between', async () => {
    const { folder, source, storeOf } = await modelsFolder({
      'a.glb': '',
      'b.glb': '',
      'c.glb': '',
    });
    const first = await discoverRun(storeOf('a'), { ...source, parameters: {}, shardSize: 2 });
    expect(first).toEqual({ pages: 2, total: 3, new: 3, changed: 0, unchanged: 0, refused: 0 });
    await putFile(folder, 'd.glb', '', longAgoMs);
    expect(await discoverRun(storeOf('a'), { ...source, parameters: {}, shardSize: 2 })).toEqual(
      first,
    );
    expect(await storeOf('a').runAssets.page(1)).toMatchObject([{ key: 'c' }]);
  });

  it('a discovery reports the folder that is missing', async () => {
    const { folder, sourceWith, storeOf } = await modelsFolder();
    const connector = new LocalConnector({ type: 'local', path: join(folder, 'modles') });
    await expect(
      discoverRun(storeOf('a'), { ...sourceWith({ connector }), parameters: {}, shardSize: 2 }),
    ).rejects.toMatchObject({ code: 'FOLDER_NOT_FOUND', message: expect.stringMatching(/modles/) });
  });
});

describe('the discovery of a rerun', () => {
  const undoneAsset = async (
    storeOf: (run: string) => RunStore,
    key: string,
  ): Promise<UnfinishedAsset> => {
    const page = await storeOf('first').runAssets.page(0);
    const asset = page.find((one) => one.key === key) ?? null;
    return { key, asset, outcome: 'failed', failure: null, platformIds: {} };
  };

  it('a rerun finds the sources of the earlier run, including the new versions of changed files, but no new files', async () => {
    const { folder, source, storeOf } = await modelsFolder({
      'a.glb': 'a',
      'b.glb': 'b',
      'c.glb': 'c',
    });
    await discoverRun(storeOf('first'), { ...source, parameters: {}, shardSize: 10 });
    await putFile(folder, 'b.glb', 'longer', longAgoMs);
    await putFile(folder, 'new.glb', 'n', longAgoMs);
    // In a full listing, this file would give `a.glb` another key.
    await putFile(folder, 'a.obj', 'a', longAgoMs);
    await rm(join(folder, 'c.glb'));
    const undone = await Promise.all(['a', 'b', 'c'].map((key) => undoneAsset(storeOf, key)));
    const again = new RerunSelection('first', undone);
    const found = await discoverRun(storeOf('second'), {
      ...source,
      rerunSelection: again,
      parameters: {},
      shardSize: 10,
    });
    expect(found).toMatchObject({
      total: 3,
      new: 2,
      refused: 1,
      refusals: [{ key: 'c.glb', code: 'SOURCE_GONE' }],
    });
    const page = await storeOf('second').runAssets.page(0);
    expect(page.map(({ key, source: { path, bytes } }) => [key, path, bytes])).toEqual([
      ['a', 'a.glb', 1],
      ['b', 'b.glb', 6],
    ]);
    // A plan is compared with the last run of the same pipeline.
    expect((await storeOf('later').lastRun())?.run).toBe('first');
  });

  it('a rerun skips assets that have been delivered since, and warns about files that are still being written', async () => {
    const { folder, source, storeOf, deliver } = await modelsFolder({ 'a.glb': 'a', 'b.glb': 'b' });
    await discoverRun(storeOf('first'), { ...source, parameters: {}, shardSize: 10 });
    const undone = await Promise.all(['a', 'b'].map((key) => undoneAsset(storeOf, key)));
    await rename(join(folder, 'b.glb'), join(folder, 'aside'));
    await deliver('between');
    await putFile(folder, 'b.glb', 'half', startMs + 60_000);
    await rm(join(folder, 'aside'));
    const growing = {
      ...source.lister,
      splitStable: async () => ({ stable: [], later: ['b.glb'] }),
    };
    const found = await discoverRun(storeOf('second'), {
      ...source,
      lister: growing,
      rerunSelection: new RerunSelection('first', undone),
      parameters: {},
      shardSize: 10,
    });
    expect(found).toMatchObject({ total: 2, new: 0, unchanged: 1, pages: 0 });
    expect(found.warnings).toMatchObject([
      { key: 'take', message: expect.stringContaining('b.glb') },
    ]);
  });
});
