// The results of a run are summed up while they are read. Only the sums are kept, and assets are read again.
import { expect, test } from 'vitest';
import { FinishedAssets } from '../../src/features/results/finished-assets.ts';
import { readRange } from '../../src/plan/helpers/lazy-list.ts';
import { ListedResults } from '../../src/store/runs/results.ts';
import { assetOf, settledAs } from '../store/_store.ts';

const fileOf = (key: string) => ({
  key,
  path: `${key}.png`,
  bytes: 9,
  sha256: 'aa',
  width: 4,
  height: 3,
  output: 'o',
  delivery: 'd',
});

/** Results of shards with one asset each. Shards from `unreadable` on cannot be read. */
function resultsOf(shards: number, unreadable = shards) {
  const reads: number[] = [];
  const parts = Array.from({ length: shards }, (_, shard) => [shard, [String(shard)]] as const);
  const results = new ListedResults(new Map(parts), async ([part]) => {
    const shard = Number(part);
    reads.push(shard);
    if (shard >= unreadable) throw new Error('the drive is gone');
    const key = `asset-${shard}`;
    return new Map([[key, settledAs('complete', assetOf(key), { files: [fileOf(key)] })]]);
  });
  return { results, reads };
}

test('the first files are read without the shards of later ones', async () => {
  const { results, reads } = resultsOf(400);
  const finished = new FinishedAssets([]);
  await finished.read(results);
  expect([finished.totals.complete, finished.files.length]).toEqual([400, 400]);
  reads.length = 0;
  const shown = await readRange(finished.files, 2, 4);
  expect(shown.map(({ path }) => path)).toEqual(['asset-2.png', 'asset-3.png']);
  expect(reads).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('what was read before an error can be read again', async () => {
  const { results } = resultsOf(24, 16);
  const finished = new FinishedAssets([]);
  await expect(finished.read(results)).rejects.toThrow('the drive is gone');
  expect(finished.totals.total).toBe(16);
  expect(await readRange(finished.files)).toHaveLength(16);
  const byKey = await readRange(finished.assetsByKey);
  expect(byKey.map(({ key }) => key).slice(0, 3)).toEqual(['asset-0', 'asset-1', 'asset-10']);
});
