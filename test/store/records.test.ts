import { describe, expect, it } from 'vitest';
import { recordName } from '../../src/store/objects/object-name.ts';
import type { AssetRecord } from '../../src/store/records/records.ts';
import { isSameRecipe, isSameVersion } from '../../src/store/records/records.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import { recipe, sourceOf, storeOn, storesOver } from './_store.ts';

const base = '.renderline/shoes/records';

function recordOf(key: string, more: Partial<AssetRecord> = {}): Omit<AssetRecord, 'schema'> {
  return {
    key,
    source: sourceOf(key),
    recipe,
    platformIds: { modelId: 'm' },
    files: [],
    run: 'a',
    lineage: 'a',
    finishedAt: '2026-03-01T10:00:00.000Z',
    ...more,
  };
}

describe('records', () => {
  it('names of records contain key, version and recipe', async () => {
    const store = storesOver()('a');
    await store.records.write(recordOf('shoes/One'));
    const index = await store.records.index();
    const entry = index.get('shoes/One');
    expect(entry?.name).toBe('shoes+!one@1-1~aaaaaaaa.json');
    expect(entry && isSameVersion(entry, '1-1')).toBe(true);
    expect(entry && isSameVersion(entry, '1-2')).toBe(false);
    expect(entry && isSameRecipe(entry, recipe)).toBe(true);
    expect(entry && isSameRecipe(entry, 'bbbbbbbb00000000')).toBe(false);
    expect(index.get('shoes/one')).toBeNull();
  });

  it('records are listed without being read', async () => {
    const bucket = new MemoryBucket();
    for (let index = 0; index < 100; index += 1) {
      await storesOver(bucket)('a').records.write(recordOf(`key-${index}`));
    }
    const operations: string[] = [];
    const connector = new MemoryConnector(bucket, async (operation) => {
      operations.push(operation);
    });
    expect([...(await storeOn(connector, 'b').records.index()).entries()]).toHaveLength(100);
    expect(operations).toEqual(['list']);
  });

  it('records are read unchanged', async () => {
    const store = storesOver()('a');
    const record = recordOf('one', {
      sourceSha256: 'ab',
      platformIds: { modelId: 'm', jobId: 'j' },
    });
    const name = await store.records.write(record);
    expect(await store.records.read(name)).toEqual({ schema: 'renderline/asset/v1', ...record });
    expect(await store.records.find('one')).toMatchObject({ platformIds: { jobId: 'j' } });
    expect(await store.records.find('two')).toBeNull();
    expect(await store.records.exists(recordName('one', '1-1', recipe))).toBe(true);
    expect(await store.records.exists(recordName('one', '1-2', recipe))).toBe(false);
  });

  it('a record replaces older ones of its key, which are removed after the write', async () => {
    const bucket = new MemoryBucket();
    const first = await storesOver(bucket)('a').records.write(recordOf('one'));
    const seen: string[] = [];
    const connector = new MemoryConnector(bucket, async (operation, path) => {
      seen.push(`${operation} ${path.slice(base.length + 1)}`);
    });
    const newer = recordOf('one', { source: sourceOf('one', '2-2') });
    const second = await storeOn(connector, 'a').records.write(newer, [first]);
    expect(seen).toEqual([`write ${second}`, `remove ${first}`]);
    await storeOn(connector, 'a').records.write(newer, [second]);
    expect([...bucket.files.keys()]).toEqual([`${base}/${second}`]);
  });

  it.each(['chair', 'x'.repeat(300)])(
    'records are found for the cells of a model (%#)',
    async (model) => {
      const store = storesOver()('a');
      const cellOf = (of: string, name: string, version: string) =>
        recordOf(`${of}@${name}`, {
          source: inCell(sourceOf(of, version), of, colorway(name)),
          finishedAt: `2026-03-0${version[0]}T10:00:00.000Z`,
        });
      const cells = [cellOf(model, 'Oak', '1-1'), cellOf(model, 'Oak', '2-2')];
      const others = [
        recordOf(model),
        cellOf(`${model}s`, 'Oak', '1-1'),
        recordOf(`${model}@Oak2`),
      ];
      for (const one of [...cells, cellOf(model, 'Navy', '1-1'), ...others])
        await store.records.write(one);
      const found = await store.records.cellsOf(model);
      expect(found.map(({ key, source }) => `${key} ${source.version}`).sort()).toEqual([
        `${model}@Navy 1-1`,
        `${model}@Oak 2-2`,
      ]);
    },
  );

  it('if a crash has left two records of a key, the one that finished last counts', async () => {
    const store = storesOver()('a');
    const old = await store.records.write(recordOf('one', { source: sourceOf('one', '9-9') }));
    const finishedAt = '2026-03-02T10:00:00.000Z';
    const name = await store.records.write(recordOf('one', { finishedAt }));
    expect((await store.records.index()).get('one')).toMatchObject({ name, older: [old] });
  });

  it('truncated records are ignored', async () => {
    const bucket = new MemoryBucket();
    const store = storesOver(bucket)('a');
    const name = await store.records.write(recordOf('one'));
    bucket.files.set(`${base}/${name}`, { bytes: Buffer.from('{"schema"'), mtimeMs: 0 });
    expect(await store.records.read(name)).toBeNull();
  });

  it('records of long keys are found by the key that they contain', async () => {
    const store = storesOver()('a');
    const keys = ['x'.repeat(300), `${'x'.repeat(299)}y`];
    for (const key of keys) await store.records.write(recordOf(key));
    for (const key of keys) expect(await store.records.find(key)).toMatchObject({ key });
  });

  it('all records are returned for reports', async () => {
    const store = storesOver()('a');
    for (let index = 0; index < 300; index += 1) await store.records.write(recordOf(`k${index}`));
    const keys = new Set<string>();
    for await (const { record } of store.records.all()) keys.add(record?.key ?? '');
    expect(keys.size).toBe(300);
  });

  it('records of another pipeline are not listed', async () => {
    const stores = storesOver();
    await stores('a').records.write(recordOf('one'));
    const shoes = await stores('a', { pipeline: 'Shoes' }).records.index();
    expect([...shoes.entries()]).toEqual([]);
  });

  it('there are no records before the first write', async () => {
    const bucket = new MemoryBucket();
    bucket.exists = false;
    const store = storesOver(bucket)('a');
    expect([...(await store.records.index()).entries()]).toEqual([]);
    expect([...(await store.claims.names()).names()]).toEqual([]);
    expect(await store.lastRun()).toBeNull();
  });
});
