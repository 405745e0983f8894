import { describe, expect, it } from 'vitest';
import { assetFailures } from '../../src/failures/assets.ts';
import { sourceFailure } from '../../src/store/discovery/asset-keys.ts';
import { listUnfinished } from '../../src/store/discovery/unfinished-assets.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { alive, assetOf, manifestAsset, settledAs, storesOver, withManifest } from './_store.ts';

const failure = { key: 'b', node: 'shots', code: 'RENDER_FAILED', message: 'm', attempts: 3 };

/** A run with six assets in shards of two: one complete, one failed, one cancelled, three without a result. */
async function ranRun() {
  const stores = storesOver();
  const store = stores('first');
  const keys = ['a', 'b', 'c', 'd', 'e', 'f'];
  const clash = sourceFailure(assetFailures.KEY_CLASH, 'Shoe.glb', 'take', 'rename it');
  const counts = { total: 7, new: 6, changed: 0, unchanged: 0 };
  const assets = keys.map((key) => manifestAsset(key));
  await store.runAssets.write({ assets, shardSize: 2, counts, refused: [clash] });
  const failed = settledAs('failed', assetOf('b', { modelId: 'm-b' }), { failure });
  await store.results.write('first', 0, 0, [settledAs('complete', assetOf('a')), failed]);
  await store.results.write('first', 1, 0, [settledAs('cancelled', assetOf('c'))]);
  const claim = (key: string) => ({
    key,
    version: '1-1',
    shard: 1,
    platformIds: { modelId: `m-${key}` },
  });
  await store.claims.claim(claim('d'), alive);
  // Assets that another run has claimed belong to that run.
  await stores('other').claims.claim(claim('e'), alive);
  return store;
}

describe('the unfinished assets of a run', () => {
  it('unfinished assets are those that were refused, failed, were cancelled or have no result', async () => {
    const undone = await collect(listUnfinished(await ranRun(), { isRunClosed: true }));
    expect(
      undone.map(({ key, outcome, failure: why }) => [key, outcome, why?.code ?? null]),
    ).toEqual([
      ['Shoe.glb', 'refused', 'KEY_CLASH'],
      ['b', 'failed', 'RENDER_FAILED'],
      ['c', 'cancelled', null],
      // The run has claimed the asset and never finalized it, since its shard failed.
      ['d', 'unfinished', 'SHARD_FAILED'],
      ['e', 'unfinished', null],
      ['f', 'unfinished', null],
    ]);
    expect(undone.map(({ platformIds }) => platformIds.modelId ?? null)).toEqual([
      null,
      'm-b',
      null,
      'm-d',
      null,
      null,
    ]);
  });

  it('assets without a result are not unfinished while the run is open', async () => {
    const undone = await collect(listUnfinished(await ranRun(), { isRunClosed: false }));
    expect(undone.map(({ key }) => key)).toEqual(['Shoe.glb', 'b', 'c']);
  });

  it('no assets are unfinished if the run has found nothing or delivered everything', async () => {
    const store = storesOver()('first');
    expect(await collect(listUnfinished(store, { isRunClosed: true }))).toEqual([]);
    await withManifest(store, [manifestAsset('a')]);
    await store.results.write('first', 0, 0, [settledAs('complete', assetOf('a'))]);
    expect(await collect(listUnfinished(store, { isRunClosed: true }))).toEqual([]);
  });
});
