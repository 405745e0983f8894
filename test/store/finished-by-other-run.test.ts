// An asset that has a record of its version and recipe, but that two runs want to process: the run that opens it second
// leaves it to the first one.
import { expect, it } from 'vitest';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunAsset } from '../../src/store/runs/run-assets.ts';
import {
  alive,
  assetOf,
  manifestAsset,
  recipe,
  settledAs,
  storesOver,
  withManifest,
} from './_store.ts';

const otherRecipe = 'bbbbbbbb00000000';
const firstRecord = 'one@1-1~aaaaaaaa.json';

it.each<[string, Partial<RunAsset>]>([
  ['is delivered again', { reason: 'redeliver', previous: [firstRecord], deliveredBy: 'first' }],
  ['was older than allowed', { reason: 'age', previous: [firstRecord], deliveredBy: 'first' }],
  [
    'returns to an earlier recipe',
    { reason: 'recipe', previous: [firstRecord, 'one@1-1~bbbbbbbb.json'] },
  ],
])(
  'an asset that %s is skipped if another run has finished it since the discovery',
  async (_what, asset) => {
    const stores = storesOver();
    const finishedAt = '2026-03-01T10:00:00.000Z';
    for (const [run, recordRecipe] of Object.entries({ first: recipe, second: otherRecipe })) {
      const facts = { run, lineage: run, recipe: recordRecipe, files: [], finishedAt };
      const record = assetOf('one', { modelId: 'm', projectId: 'p', jobId: 'j' });
      await stores(run).records.write({ ...record, ...facts });
    }
    const [a, b] = [stores('a'), stores('b')];
    for (const store of [a, b]) await withManifest(store, [manifestAsset('one', asset)]);
    const { assets } = await openShard(a, 0, alive);
    expect(assets).toHaveLength(1);
    const finalized = assets.map((opened) => settledAs('complete', opened));
    await finalizePart(a, { shard: 0, part: 0, finalized });
    expect(await openShard(b, 0, alive)).toMatchObject({
      assets: [],
      complete: [],
      taken: [{ key: 'one', by: 'a' }],
    });
    expect(await b.claims.read('one')).toBeNull();
  },
);
