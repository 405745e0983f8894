import { describe, expect, it } from 'vitest';
import { assetFailures } from '../../src/failures/assets.ts';
import { jsonBytesOf } from '../../src/plan/helpers/bytes.ts';
import type { Failure } from '../../src/plan/types.ts';
import { sourceFailure } from '../../src/store/discovery/asset-keys.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { manifestAsset, storeOn, storesOver } from './_store.ts';

const counts = { total: 7, new: 5, changed: 0, unchanged: 2 };
const refused: Failure[] = [];
const assets = ['a', 'b', 'c', 'd', 'e'].map((key) => manifestAsset(key));

describe('a manifest', () => {
  it('a manifest is split into pages, one per shard', async () => {
    const store = storesOver()('a');
    const discovery = await store.runAssets.write({ assets, shardSize: 2, counts, refused });
    expect(discovery).toEqual({ ...counts, refused: 0, pages: 3 });
    expect(await store.runAssets.page(0)).toEqual(assets.slice(0, 2));
    expect(await store.runAssets.page(2)).toEqual(assets.slice(4));
    expect(await store.runAssets.page(3)).toEqual([]);
  });

  it('a manifest has separate pages for the canary, before the others', async () => {
    const { runAssets } = storesOver()('a');
    const canary = { assets: 3, timeoutMs: 1 };
    expect(await runAssets.write({ assets, shardSize: 2, canary, counts, refused })).toMatchObject({
      pages: 3,
    });
    const pages = await Promise.all([0, 1, 2, 3].map((page) => runAssets.page(page)));
    const keys = pages.map((page) => page.map(({ key }) => key).join(''));
    expect(keys).toEqual(['ab', 'c', 'de', '']);
  });

  it('a manifest is written once, and a second discovery gets the first manifest', async () => {
    const stores = storesOver();
    const first = await stores('a').runAssets.write({ assets, shardSize: 2, counts, refused });
    const other = {
      assets: assets.slice(0, 1),
      shardSize: 1,
      counts: { ...counts, new: 1 },
      refused,
    };
    expect(await stores('a').runAssets.write(other)).toEqual(first);
    expect(await stores('a').runAssets.page(0)).toEqual(assets.slice(0, 2));
  });

  it('a manifest never mixes the pages of two concurrent discoveries', async () => {
    const stores = storesOver();
    const wishes = [
      { assets, shardSize: 2, counts, refused },
      { assets: [...assets].reverse(), shardSize: 2, counts, refused },
    ];
    await Promise.all(wishes.map((wish) => stores('a').runAssets.write(wish)));
    const store = stores('a');
    const pages = await Promise.all([0, 1, 2].map((page) => store.runAssets.page(page)));
    const keys = pages.flat().map(({ key }) => key);
    expect(['abcde', 'edcba']).toContain(keys.join(''));
  });

  it('a page of a manifest can be read again, however much earlier work its assets have', async () => {
    const bucket = new MemoryBucket();
    const stores = storesOver(bucket);
    // Work under twenty parameters, with a dozen pictures each.
    const platformIds = { modelId: 'x'.repeat(4_000) };
    const earlier = Array.from({ length: 20 }, (_, at) => ({ recipe: `${at}`, platformIds }));
    const large = Array.from({ length: 250 }, (_, at) =>
      manifestAsset(`shoe-${at}`, { reason: 'age', earlier }),
    );
    const both = [...large, manifestAsset('last')];
    await stores('a').runAssets.write({ assets: both, shardSize: 250, counts, refused });
    expect(await stores('a').runAssets.page(0)).toEqual(large);
    expect(await stores('a').runAssets.page(1)).toEqual([manifestAsset('last')]);
    const names = [...bucket.files.keys()].filter((path) => /0000-0\d{3}\.json$/.test(path));
    bucket.files.delete(names.at(-1) ?? '');
    await expect(stores('a').runAssets.page(0)).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      message: expect.stringMatching(/asset list of run a is missing: .*0000-0\d{3}\.json/),
    });
  });

  it('the assets that a discovery page leaves to the next one can be read again, however large they are', async () => {
    const stores = storesOver();
    const earlier = [{ recipe: 'old', platformIds: { modelId: 'x'.repeat(200_000) } }];
    const large = Array.from({ length: 100 }, (_, at) =>
      manifestAsset(`shoe-${at}`, { reason: 'age', earlier }),
    );
    const page = { tables: undefined, keys: [] };
    const request = { shardSize: 250, counts, refused };
    await stores('a').runAssets.write({
      ...request,
      assets: large,
      discoveryPage: { ...page, number: 0, before: null, after: 'shoe-99' },
    });
    const { runAssets } = stores('a');
    const before = await runAssets.heads.read(0);
    await runAssets.write({
      ...request,
      assets: [manifestAsset('last')],
      discoveryPage: { ...page, number: 1, before, after: null },
    });
    expect(await runAssets.page(0)).toEqual([...large, manifestAsset('last')]);
  });

  it('a manifest may be empty', async () => {
    const store = storesOver()('a');
    const empty = { ...counts, new: 0 };
    const wish = { assets: [], shardSize: 250, counts: empty, refused };
    expect(await store.runAssets.write(wish)).toEqual({ ...empty, refused: 0, pages: 0 });
    expect(await store.runAssets.page(0)).toEqual([]);
  });

  it('a manifest contains the number of failures and the first few, and pages contain the rest', async () => {
    const many = Array.from({ length: 9_000 }, (_, index) =>
      sourceFailure(
        assetFailures.KEY_CLASH,
        `shoe-${index}-${'x'.repeat(500)}.glb`,
        'take',
        'rename it',
      ),
    );
    const store = storesOver()('a');
    const found = await store.runAssets.write({ assets, shardSize: 2, counts, refused: many });
    expect(found.refused).toBe(9_000);
    expect(found.refusals).toEqual(many.slice(0, found.refusals?.length));
    expect(found.refusals?.length).toBeGreaterThan(2);
    expect(jsonBytesOf(found)).toBeLessThan(10_000);
    const pages = await collect(store.runAssets.refused());
    expect(pages.flat()).toEqual(many);
  });

  it('a manifest does not exist until its index is written', async () => {
    const bucket = new MemoryBucket();
    let writes = 0;
    const dying = new MemoryConnector(bucket, async (operation) => {
      if (operation === 'write') writes += 1;
      if (operation === 'create') throw new Error('killed');
    });
    await expect(
      storeOn(dying, 'a').runAssets.write({ assets, shardSize: 2, counts, refused }),
    ).rejects.toThrow();
    expect(writes).toBe(3);
    expect(await storesOver(bucket)('a').runAssets.readDiscovery()).toBeNull();
    expect(await storesOver(bucket)('a').runAssets.page(0)).toEqual([]);
  });

  it('an error about a missing page of a manifest identifies the page', async () => {
    const bucket = new MemoryBucket();
    const stores = storesOver(bucket);
    await stores('a').runAssets.write({ assets, shardSize: 2, counts, refused });
    for (const path of bucket.files.keys())
      if (path.endsWith('0001.json')) bucket.files.delete(path);
    await expect(stores('a').runAssets.page(1)).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      message: expect.stringMatching(/asset list of run a is missing: .*0001\.json in memory/),
    });
  });
});
