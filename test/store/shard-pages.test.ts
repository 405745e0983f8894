// The updates that activities write, page by page, and the resulting state of an asset.

import { describe, expect, it } from 'vitest';
import { idRules } from '../../src/features/run-store.ts';
import type { DeliveredFile } from '../../src/plan/types.ts';
import { buildAssetStates, compactUpdateOf } from '../../src/store/runs/asset-states.ts';
import type { AssetUpdate, ShardPage } from '../../src/store/runs/shard-pages.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { assetOf, storeOn, storesOver } from './_store.ts';

const page = (node: string, ...updates: AssetUpdate[]): ShardPage => {
  return { node, updates };
};
const file = (path: string): DeliveredFile => {
  const size = { bytes: 1, width: 1, height: 1 };
  return { key: 'a', path, ...size, sha256: 'ab', output: 'o', delivery: 'd' };
};

describe('pages of a shard', () => {
  it('pages are read in the order of the given names', async () => {
    const store = storesOver()('a');
    const first = await store
      .pages(0)
      .write('x-1-1', 'take', [{ assetIndex: 0, platformIds: { modelId: 'm' } }]);
    const second = await store
      .pages(0)
      .write('x-2-1', 'shots', [{ assetIndex: 0, warnings: ['w'] }]);
    const pages = await store.pages(0).read([...second, ...first]);
    expect(pages.map(({ node }) => node)).toEqual(['shots', 'take']);
  });

  it('no page is written without updates', async () => {
    const bucket = new MemoryBucket();
    expect(await storesOver(bucket)('a').pages(0).write('x-1-1', 'take', [])).toEqual([]);
    expect(bucket.files.size).toBe(0);
  });

  it('pages are found by another process', async () => {
    const bucket = new MemoryBucket();
    const names = await storesOver(bucket)('a')
      .pages(3)
      .write('x-1-1', 'take', [{ assetIndex: 7, platformIds: { modelId: 'm' } }]);
    const read = await storesOver(bucket)('a').pages(3).read(names);
    const schema = 'renderline/shard-page/v1';
    const update = { assetIndex: 7, platformIds: { modelId: 'm' } };
    expect(read).toEqual([{ schema, ...page('take', update) }]);
  });

  it('pages are split if one would be too large to read', async () => {
    const bucket = new MemoryBucket();
    const path = 'x'.repeat(2_000);
    const files = Array.from({ length: 300 }, () => file(path));
    const updates = Array.from({ length: 50 }, (_, at) => ({ assetIndex: at, files }));
    const names = await storesOver(bucket)('a').pages(0).write('x-1-1', 'deliver', updates);
    expect(names.length).toBeGreaterThan(5);
    for (const { bytes } of bucket.files.values())
      expect(bytes.length).toBeLessThan(16 * 1024 ** 2);
    const read = await storesOver(bucket)('a').pages(0).read(names);
    expect(read.flatMap((one) => one.updates.map(({ assetIndex: at }) => at))).toEqual(
      updates.map(({ assetIndex: at }) => at),
    );
  });

  it('a missing page pauses the run, and the error names its location and the fix', async () => {
    const store = storeOn(new MemoryConnector(new MemoryBucket()), 'a');
    await expect(store.pages(0).read(['x-1-1'])).rejects.toMatchObject({
      code: 'RECORDS_UNREADABLE',
      message: expect.stringMatching(
        /page of asset updates is missing: \S+pages\/00000\/x-1-1\.json in .*; restore the folder of the records/,
      ),
    });
  });
});

describe('the state of an asset', () => {
  const sheets = (...pages: ShardPage[]) =>
    buildAssetStates([assetOf('a'), assetOf('b')], pages, [0], idRules);
  const sheet = (...pages: ShardPage[]) => {
    const [only] = sheets(...pages);
    if (!only) throw new RangeError('no sheet');
    return only;
  };

  it('updates are merged so that later ids replace earlier ones, and files and warnings are appended in order', () => {
    expect(
      sheet(
        page('take', { assetIndex: 0, platformIds: { modelId: 'm1', category: 'c' } }),
        page('shots', { assetIndex: 0, files: [file('1.png')], warnings: ['w1'] }),
        page('take', { assetIndex: 0, platformIds: { modelId: 'm2' } }),
        page('deliver', { assetIndex: 0, files: [file('2.png')], warnings: ['w2'] }),
      ),
    ).toMatchObject({
      key: 'a',
      platformIds: { modelId: 'm2', category: 'c' },
      files: [{ path: '1.png' }, { path: '2.png' }],
      warnings: ['w1', 'w2'],
    });
  });

  it('the state contains only updates of this asset', () => {
    expect(
      sheet(page('take', { assetIndex: 1, platformIds: { modelId: 'm' } })).platformIds,
    ).toEqual({});
  });

  it('the state drops the ids that a failure declares invalid', () => {
    const known = page('take', {
      assetIndex: 0,
      platformIds: { modelId: 'm', projectId: 'p', category: 'c' },
    });
    const gone = page('ready', { assetIndex: 0, forget: ['modelId', 'projectId'] });
    expect(sheet(known, gone).platformIds).toEqual({ category: 'c' });
  });

  it('the state contains the last failure of each node', () => {
    const failure = (code: string) => ({ code, message: 'm', attempts: 1 });
    const { failures } = sheet(
      page('shots', { assetIndex: 0, failure: failure('FIRST') }),
      page('shots', { assetIndex: 0, failure: failure('SECOND') }),
      page('deliver', { assetIndex: 0, failure: failure('OTHER') }),
    );
    expect([...failures].map(([node, { code }]) => [node, code])).toEqual([
      ['shots', 'SECOND'],
      ['deliver', 'OTHER'],
    ]);
  });

  it('the state is the same whether it is read from one compacted page or from many pages', () => {
    const many = sheet(
      page('take', { assetIndex: 0, platformIds: { modelId: 'm' } }),
      page('shots', { assetIndex: 0, retryStep: 'shots', platformIds: { retries: 1 } }),
      page('shots', { assetIndex: 0, retryStep: 'shots', platformIds: { retries: 2 } }),
      page('deliver', { assetIndex: 0, files: [file('1.png')], warnings: ['w'] }),
    );
    const folded = sheet(page('', compactUpdateOf(many)));
    expect(folded).toEqual(many);
    expect(folded.retriesByStep.get('shots')).toBe(2);
  });

  it('the state can be requested only for assets of the shard', () => {
    expect(() => buildAssetStates([assetOf('a')], [], [1], idRules)).toThrow('no asset 1');
  });
});
