import { createHash } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connector } from '../../src/connectors/connector.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import type { StageTimes } from '../../src/plan/freshness.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { discoverRun, previewDiscovery } from '../../src/store/discovery/discover-run.ts';
import { type UnchangedAsset, verifyUnchanged } from '../../src/store/discovery/verify.ts';
import type { AssetRecord } from '../../src/store/records/records.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { putFile, tempFolder } from '../connectors/_temp-folder.ts';
import { longAgoMs, modelsFolder, reasons } from './_models-folder.ts';
import { alive, recipe, settledAs, startMs, storesOver } from './_store.ts';

const sha256Of = (text: string) => createHash('sha256').update(text).digest('hex');
const content = 'one';
const picture = 'picture';
const startedAt = new Date(startMs).toISOString();
const deliveredAt = {
  source: startedAt,
  composition: startedAt,
  render: startedAt,
  sheet: startedAt,
};

/** Models with the same content, each delivered with a picture, in a folder without change times. */
async function delivered(count: number, { hash = sha256Of(content) } = {}) {
  const keys = Array.from({ length: count }, (_, index) => `m-${String(index).padStart(4, '0')}`);
  const models = Object.fromEntries(keys.map((key) => [`${key}.glb`, content]));
  const world = await modelsFolder(models);
  const { folder, connector } = world;
  const blind = withoutChanges(connector);
  const files = (key: string) => [
    {
      key,
      path: `out/${key}.png`,
      bytes: picture.length,
      sha256: sha256Of(picture),
      width: 1,
      height: 1,
      output: 'o',
      delivery: 'd',
    },
  ];
  for (const key of keys) await putFile(folder, `out/${key}.png`, picture);
  const platformIds = { modelId: 'm', projectId: 'p', jobId: 'j' };
  await world.deliver('first', { hash, made: (key) => ({ files: files(key), platformIds }) });
  const source = {
    ...world.sourceWith({ connector: blind.connector }),
    getConnector: () => blind.connector,
    verify: true,
  };
  const look = () => previewDiscovery(world.storeOf('later'), source);
  const run = (name: string) =>
    discoverRun(world.storeOf(name), { ...source, parameters: {}, shardSize: 10 });
  return { ...world, ...blind, source, look, run };
}

/**
 * A folder as an SFTP server shows it. `opened` lists the files that were read; files that match `breaks` cannot be
 * read.
 */
function withoutChanges(folder: Connector) {
  const opened: string[] = [];
  const control = { breaks: (_path: string): unknown => undefined };
  const connector = Object.assign(Object.create(folder) as Connector, {
    async *list(...args: Parameters<Connector['list']>) {
      for await (const { changedMs: _changed, ...entry } of folder.list(...args)) yield entry;
    },
    describe: () => folder.describe(),
    names: folder.names.bind(folder),
    stat: folder.stat.bind(folder),
    read: folder.read.bind(folder),
    write: folder.write.bind(folder),
    remove: folder.remove.bind(folder),
    open: (path: string) => {
      const error = control.breaks(path);
      if (error !== undefined) return Promise.reject(error);
      opened.push(path);
      return folder.open(path);
    },
  });
  return { connector, opened, control };
}

describe('verify', () => {
  it('verify reads every file and reports no changes if all files are unchanged', async () => {
    const { look } = await delivered(3);
    const found = await look();
    expect(found.assets).toEqual([]);
    expect(found.counts).toEqual({
      total: 3,
      new: 0,
      changed: 0,
      unchanged: 3,
      verified: { assets: 3, files: 6, bytes: 30, sources: 0, outputs: 0, unknown: 0 },
    });
  });

  it('verify treats a source with different content as a new version, and reuses nothing', async () => {
    const { folder, storeOf, run, look } = await delivered(2);
    await putFile(folder, 'm-0000.glb', 'eno', longAgoMs);
    const found = await look();
    expect(reasons(found)).toEqual({ 'm-0000': 'changed' });
    expect(found.counts).toMatchObject({ changed: 1, unchanged: 1, verified: { sources: 1 } });
    await run('second');
    const { assets, taken } = await openShard(storeOf('second'), 0, alive);
    expect({ assets, taken }).toMatchObject({
      assets: [{ key: 'm-0000', platformIds: {} }],
      taken: [],
    });
  });

  it.each([
    ['is gone', (file: string) => rm(file)],
    ['has another size', (file: string) => writeFile(file, 'cut')],
    ['has changed content', (file: string) => writeFile(file, 'PICTURE')],
  ])('a file that %s is delivered again from the recorded job', async (_what, spoil) => {
    const { folder, storeOf, preview, run, look } = await delivered(2);
    await spoil(join(folder, 'out/m-0001.png'));
    const found = await look();
    expect(reasons(found)).toEqual({ 'm-0001': 'redeliver' });
    expect(found.counts).toMatchObject({ changed: 1, unchanged: 1, verified: { outputs: 1 } });
    await run('second');
    const { assets } = await openShard(storeOf('second'), 0, alive);
    const platformIds = { modelId: 'm', projectId: 'p', jobId: 'j' };
    expect(assets).toMatchObject([{ key: 'm-0001', platformIds }]);
    expect((await storeOf('second').runAssets.page(0))[0]).toMatchObject({
      sourceSha256: sha256Of(content),
      deliveredBy: 'first',
    });
    // The asset stays unfinished, so the next run processes it even without verifying.
    expect(reasons(await preview('third'))).toEqual({ 'm-0001': 'retry' });
  });

  it.each<[string, PlatformIds, StageTimes | undefined]>([
    ['created nothing', {}, deliveredAt],
    ['created a render', { jobId: 'k', lastCreatedAtMs: startMs }, undefined],
  ])(
    'an asset that is delivered again keeps the times of its stages if its run %s',
    async (_what, created, made) => {
      const { folder, storeOf, run } = await delivered(1);
      await rm(join(folder, 'out/m-0000.png'));
      await run('second');
      const store = storeOf('second');
      const { assets } = await openShard(store, 0, alive);
      const finalized = assets.map(({ platformIds, ...asset }) =>
        settledAs('complete', { ...asset, platformIds: { ...platformIds, ...created } }),
      );
      await finalizePart(store, { shard: 0, part: 0, finalized });
      expect((await store.records.find('m-0000'))?.made).toEqual(made);
    },
  );

  it('a file without a recorded hash cannot be compared, and its hash is recorded', async () => {
    const { folder, look, run } = await delivered(1, { hash: '' });
    expect(await run('second')).toMatchObject({ changed: 0, verified: { unknown: 1 } });
    expect((await look()).counts.verified).toMatchObject({ unknown: 0 });
    await putFile(folder, 'm-0000.glb', 'eno', longAgoMs);
    expect(reasons(await look())).toEqual({ 'm-0000': 'changed' });
  });

  it('each file is read from the connector of its export', async () => {
    const { source, folder, storeOf, deliver } = await delivered(1);
    const market = await tempFolder();
    await putFile(market, 'a.png', picture);
    await putFile(folder, 'm-0001.glb', content, longAgoMs);
    const file = { path: 'a.png', bytes: picture.length, sha256: sha256Of(picture) };
    const made = (key: string) => ({
      files: [{ ...file, key, width: 1, height: 1, output: 'o', delivery: 'e' }],
    });
    await deliver('second', { hash: sha256Of(content), made });
    const places: Record<string, Connector> = {
      out: source.getConnector(),
      market: new LocalConnector({ type: 'local', path: market }),
    };
    const look = () =>
      previewDiscovery(storeOf('later'), {
        ...source,
        getConnector: (name) => places[name] ?? null,
      });
    expect(reasons(await look())).toEqual({});
    await rm(join(market, 'a.png'));
    expect(reasons(await look())).toEqual({ 'm-0001': 'redeliver' });
    delete places['market'];
    expect(reasons(await look())).toEqual({});
  });

  it.each([
    ['replaced a file', true, { 'm-0000': 'redeliver' }],
    ['replaced no file', false, {}],
  ])(
    'a source that is unchanged since a run that failed and %s is checked',
    async (_, replaces, expected) => {
      const { folder, connector, sourceWith, storeOf } = await delivered(1);
      await putFile(folder, 'm-0000.glb', 'two!', longAgoMs);
      const store = storeOf('failing');
      await discoverRun(store, { ...sourceWith({ connector }), parameters: {}, shardSize: 10 });
      const { assets } = await openShard(store, 0, alive);
      const failure = { key: 'm-0000', node: 'deliver', code: 'X', message: 'no', attempts: 1 };
      const finalized = assets.map((asset) => settledAs('failed', asset, { failure }));
      await finalizePart(store, { shard: 0, part: 0, finalized });
      if (replaces) await putFile(folder, 'out/m-0000.png', 'another');
      await putFile(folder, 'm-0000.glb', content, longAgoMs);
      // Both sources are checked. Only one has the time of the last change, which shows whether a file was touched.
      for (const source of [sourceWith({ connector }), sourceWith({})])
        expect(reasons(await previewDiscovery(storeOf('later'), source))).toEqual(expected);
    },
  );

  it('a source that cannot be read is refused, with its name', async () => {
    const { control, look } = await delivered(2);
    const denied = new ConnectorError('UNREADABLE', 'm-0000.glb', 'denied', 'allow it');
    control.breaks = (path) => (path === 'm-0000.glb' ? denied : undefined);
    const { assets, refused, counts } = await look();
    expect(assets).toEqual([]);
    expect(refused).toMatchObject([{ key: 'm-0000.glb', node: 'take', code: 'UNREADABLE' }]);
    expect(counts).toMatchObject({ total: 2, unchanged: 1 });
  });

  it('verify resumes after its worker has died, with the earlier findings', async () => {
    const pages = storesOver()('second').verifyPages;
    const hashed: string[] = [];
    const look = (dies: string) =>
      verifyUnchanged(unchanged(450), {
        lister: {
          hash: async ({ path }) => {
            if (path === dies) throw new Error('killed');
            hashed.push(path);
            return path === 'm-001' ? 'other' : 'same';
          },
        },
        node: 'take',
        records: { read: async (name) => recordOf(name) },
        connectorOf: async () => null,
        pages,
      });
    await expect(look('m-420')).rejects.toThrow('killed');
    hashed.length = 0;
    const { assets, counts } = await look('');
    expect(assets.map(({ key }) => key)).toEqual(['m-001']);
    expect(counts).toMatchObject({ assets: 450, sources: 1 });
    expect(hashed).toHaveLength(50);
  });
});

function unchanged(count: number): UnchangedAsset[] {
  return Array.from({ length: count }, (_, index) => {
    const key = `m-${String(index).padStart(3, '0')}`;
    const source = { path: key, bytes: 1, mtimeMs: 1, version: '1-1' };
    const record = { key, version: '1-1', recipe, name: key, older: [] };
    return { key, source, record };
  });
}

function recordOf(key: string): AssetRecord {
  const source = { path: key, bytes: 1, mtimeMs: 1, version: '1-1' };
  const ended = { run: 'first', lineage: 'first', finishedAt: '' };
  const schema = 'renderline/asset/v1' as const;
  return {
    schema,
    key,
    source,
    sourceSha256: 'same',
    recipe,
    platformIds: {},
    files: [],
    ...ended,
  };
}
