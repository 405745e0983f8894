// The order of a run's assets if it starts with a canary.
import { expect, test } from 'vitest';
import { leaveOutSkipped, orderCanariesFirst } from '../../src/store/discovery/order-canaries.ts';
import type { RunAsset } from '../../src/store/runs/run-assets.ts';
import { manifestAsset } from './_store.ts';

const assets = ['a/1', 'a/2', 'a/3', 'b/1', 'b/2', 'c/1', 'c/2', 'd/1'].map((key) =>
  manifestAsset(key),
);

/** Reports these assets as broken, and records which assets were inspected. */
function looker(...broken: string[]) {
  const looked: string[] = [];
  const isBroken = async ({ key }: RunAsset) => {
    looked.push(key);
    return broken.includes(key);
  };
  return { looked, isBroken };
}

const keysOf = async (found: Promise<readonly RunAsset[]>) => (await found).map(({ key }) => key);

test('the canary comes first, and both parts are ordered by path', async () => {
  expect(await keysOf(orderCanariesFirst(assets, 3))).toEqual([
    'a/1',
    'b/1',
    'c/1',
    'a/2',
    'a/3',
    'b/2',
    'c/2',
    'd/1',
  ]);
});

test.each<[string, string[], string[]]>([
  ['by one of the same kind', ['b/1'], ['a/1', 'b/2', 'c/1']],
  ['several times', ['a/1', 'b/1', 'c/1', 'd/1'], ['a/2', 'b/2', 'c/2']],
  ['by the only assets left', ['a/1', 'a/2', 'b/1', 'b/2', 'c/1'], ['a/3', 'c/2', 'd/1']],
])('a broken asset is replaced %s', async (_name, broken, expected) => {
  const { looked, isBroken } = looker(...broken);
  const keys = await keysOf(orderCanariesFirst(assets, 3, isBroken));
  expect(keys.slice(0, 3)).toEqual(expected);
  expect(keys.toSorted()).toEqual(assets.map(({ key }) => key));
  expect(new Set(looked).size).toBe(looked.length);
});

test('if all assets are broken, three rounds are inspected and no asset is lost', async () => {
  const all = Array.from({ length: 50 }, (_, index) => manifestAsset(`m-${10 + index}`));
  const { looked, isBroken } = looker(...all.map(({ key }) => key));
  const keys = await keysOf(orderCanariesFirst(all, 4, isBroken));
  expect(looked).toHaveLength(12);
  expect(keys.toSorted()).toEqual(all.map(({ key }) => key));
});

test('only 300 assets of a large canary are inspected', async () => {
  const all = Array.from({ length: 2_000 }, (_, index) => manifestAsset(`m-${1000 + index}`));
  const { looked, isBroken } = looker();
  await orderCanariesFirst(all, 1_000, isBroken);
  expect(looked).toHaveLength(300);
});

test('assets that fit into the canary are left in order and not inspected', async () => {
  const { looked, isBroken } = looker('a/1');
  expect(await orderCanariesFirst(assets, assets.length, isBroken)).toEqual(assets);
  expect(looked).toEqual([]);
});

test('assets that the root step skips are left out, and count as skipped', () => {
  const found = {
    assets: [
      manifestAsset('a/1'),
      { ...manifestAsset('a/2'), reason: 'changed' as const },
      manifestAsset('b/1'),
    ],
    counts: { total: 5, new: 2, changed: 1, unchanged: 2 },
  };
  const left = leaveOutSkipped(found, "asset.key.startsWith('b')", {});
  expect(left.assets.map(({ key }) => key)).toEqual(['b/1']);
  expect(left.counts).toEqual({ total: 5, new: 1, changed: 0, unchanged: 2 });
  // A condition that needs data of the run is not evaluated here.
  expect(leaveOutSkipped(found, "model.category == 'Shoes'", {})).toEqual(found);
});
