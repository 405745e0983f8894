import { describe, expect, it } from 'vitest';
import { manifestAsset, storesOver, withManifest } from './_store.ts';

describe('epochs of reruns', () => {
  it('epochs increase with each rerun of a lineage, even if reruns are concurrent', async () => {
    const stores = storesOver();
    const first = await withManifest(stores('first'), [manifestAsset('a')]);
    expect(await first.nextEpoch()).toEqual({ lineage: 'first', epoch: 1 });
    const both = await Promise.all([first.nextEpoch(), stores('first').nextEpoch()]);
    expect(both.map(({ epoch }) => epoch).sort((a, b) => a - b)).toEqual([2, 3]);
  });

  it('the epochs of a rerun continue those of its lineage', async () => {
    const stores = storesOver();
    const first = await withManifest(stores('first'), [manifestAsset('a')]);
    await first.nextEpoch();
    const second = stores('second', { lineage: 'first' });
    await second.runAssets.write({
      assets: [manifestAsset('a')],
      shardSize: 250,
      lineage: 'first',
      counts: { total: 1, new: 1, changed: 0, unchanged: 0 },
      refused: [],
    });
    expect(await stores('second').nextEpoch()).toEqual({ lineage: 'first', epoch: 2 });
    const other = await withManifest(stores('other'), [manifestAsset('b')]);
    expect(await other.nextEpoch()).toEqual({ lineage: 'other', epoch: 1 });
  });
});
