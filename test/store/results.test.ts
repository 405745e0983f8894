import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { openRunStore } from '../../src/features/run-store.ts';
import { chunks } from '../../src/plan/helpers/chunks.ts';
import { ListedResults } from '../../src/store/runs/results.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { assetOf, recipe, settledAs, startMs, storesOver } from './_store.ts';

const complete = (key: string) => settledAs('complete', assetOf(key));

describe('results of a run', () => {
  it('results are read in the order of shards and parts', async () => {
    const store = storesOver()('a');
    await store.results.write('a', 10, 0, [complete('d')]);
    await store.results.write('a', 2, 1, [complete('c')]);
    await store.results.write('a', 2, 0, [complete('a'), complete('b')]);
    await store.results.write('b', 0, 0, [complete('x')]);
    const settled = await collect(store.results.read('a'));
    expect(settled.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
    expect(settled[0]).toEqual(complete('a'));
  });

  it('results contain each asset once, as it was last written', async () => {
    const store = storesOver()('a');
    await store.results.write('a', 0, 0, [complete('a')]);
    await store.results.write('a', 0, 0, [complete('a')]);
    await store.results.write('a', 0, 1, [settledAs('failed', assetOf('a'))]);
    const settled = await collect(store.results.read('a'));
    expect(settled.map(({ key, outcome }) => `${key} ${outcome}`)).toEqual(['a failed']);
  });

  it('results of parts that are repeated after a reset replace the earlier ones', async () => {
    let nowMs = startMs;
    const context = { run: 'a', lineage: 'a', pipeline: 'shoes', recipe };
    const store = openRunStore(new MemoryConnector(), context, { now: () => nowMs });
    await store.results.write('a', 0, 0, [complete('a')]);
    await store.results.write('a', 0, 1, [settledAs('failed', assetOf('b'))]);
    await store.results.write('a', 0, 2, [settledAs('failed', assetOf('c'))]);
    nowMs += 60_000;
    await store.results.write('a', 0, 1, [complete('b'), complete('c')]);
    const settled = await collect(store.results.read('a'));
    expect(Object.fromEntries(settled.map(({ key, outcome }) => [key, outcome]))).toEqual({
      a: 'complete',
      b: 'complete',
      c: 'complete',
    });
  });

  describe('listed results in the order of keys', () => {
    /** Results of shards by number. Records which shards are read, and how many results are in memory at once. */
    async function listed(shards: readonly (readonly string[])[]) {
      const reads: number[] = [];
      const results = new ListedResults(
        new Map(shards.map((_, shard) => [shard, [String(shard)]])),
        async ([part]) => {
          reads.push(Number(part));
          return new Map(shards[Number(part)]?.map((key) => [key, complete(key)]));
        },
      );
      await collect(results.inShardOrder());
      reads.length = 0;
      return { results, reads };
    }

    const numbered = (total: number, at: (index: number) => number) =>
      Array.from({ length: total }, (_, index) => `asset-${String(at(index)).padStart(6, '0')}`);

    it('keys are sorted across shards, and an asset in two shards appears twice', async () => {
      const { results } = await listed([['d', 'b'], ['a', 'd'], ['c']]);
      const keys = (await collect(results.inKeyOrder())).map(({ key }) => key);
      expect(keys).toEqual(['a', 'b', 'c', 'd', 'd']);
    });

    it('shards of a sorted listing are read once or twice, those at the start first', async () => {
      const keys = numbered(30_000, (index) => index);
      const { results, reads } = await listed(chunks(keys, 300));
      const first = await results.inKeyOrder().next();
      expect([first.value?.key, reads.length]).toEqual(['asset-000000', 34]);
      reads.length = 0;
      const sorted = await collect(results.inKeyOrder());
      expect(sorted.map(({ key }) => key)).toEqual(keys);
      expect(reads.length).toBeLessThanOrEqual(102);
    });

    it('keys in any order are sorted in ranges of ten thousand', async () => {
      const keys = numbered(20_000, (index) => (index * 7_919) % 20_000);
      const { results, reads } = await listed(chunks(keys, 500));
      const sorted = (await collect(results.inKeyOrder())).map(({ key }) => key);
      expect(sorted).toEqual(keys.toSorted());
      expect(reads).toHaveLength(2 * 40);
    });
  });

  it('results of eight shards are read at once, and still in the order of shards', async () => {
    let running = 0;
    let highest = 0;
    const connector = new MemoryConnector(new MemoryBucket(), async (operation) => {
      if (operation !== 'read') return;
      running += 1;
      highest = Math.max(highest, running);
      await nextTurn();
      running -= 1;
    });
    const store = openRunStore(connector, { run: 'a', lineage: 'a', pipeline: 'shoes', recipe });
    const keys = Array.from({ length: 20 }, (_, shard) => `asset-${shard}`);
    for (const [shard, key] of keys.entries())
      await store.results.write('a', shard, 0, [complete(key)]);
    const settled = await collect(store.results.read('a'));
    expect(settled.map(({ key }) => key)).toEqual(keys);
    expect(highest).toBe(8);
  });

  it('an unknown run has no results', async () => {
    expect(await collect(storesOver()('a').results.read('nothing'))).toEqual([]);
  });
});
