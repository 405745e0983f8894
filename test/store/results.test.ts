import { describe, expect, it } from 'vitest';
import { collect } from '../connectors/_temp-folder.ts';
import { assetOf, settledAs, storesOver } from './_store.ts';

const complete = (key: string) => settledAs('complete', assetOf(key));

describe('results', () => {
  it('read back in the order of shards and parts', async () => {
    const store = storesOver()('a');
    await store.results.write('a', 10, 0, [complete('d')]);
    await store.results.write('a', 2, 1, [complete('c')]);
    await store.results.write('a', 2, 0, [complete('a'), complete('b')]);
    await store.results.write('b', 0, 0, [complete('x')]);
    const settled = await collect(store.readResults('a'));
    expect(settled.map(({ key }) => key)).toEqual(['a', 'b', 'c', 'd']);
    expect(settled[0]).toEqual(complete('a'));
  });

  it('hold an asset once, as it was written last', async () => {
    const store = storesOver()('a');
    await store.results.write('a', 0, 0, [complete('a')]);
    await store.results.write('a', 0, 0, [complete('a')]);
    await store.results.write('a', 0, 1, [settledAs('failed', assetOf('a'))]);
    const settled = await collect(store.readResults('a'));
    expect(settled.map(({ key, outcome }) => `${key} ${outcome}`)).toEqual(['a failed']);
  });

  it('of a run that never was are none', async () => {
    expect(await collect(storesOver()('a').readResults('nothing'))).toEqual([]);
  });
});
