// Discovery in pages: each page is written before the next one starts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Entry, ListOptions } from '../../src/connectors/connector.ts';
import { compareNames } from '../../src/connectors/disk/name-order.ts';
import type { Discovery } from '../../src/plan/contract/contract.ts';
import { countToProcess } from '../../src/plan/contract/sharding.ts';
import {
  type DiscoverySource,
  discoverPage,
  discoverRun,
} from '../../src/store/discovery/discover-run.ts';
import { dropCachedWork } from '../../src/store/discovery/known-work.ts';
import { createFileLister } from '../../src/store/discovery/list-files.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { noStages } from '../plan/_steps.ts';
import { alive, settledAs, startMs, storeOn } from './_store.ts';

const shardSize = 2;

function bucketOf(paths: readonly string[]): MemoryBucket {
  const bucket = new MemoryBucket();
  for (const path of paths) {
    bucket.files.set(path, { bytes: Buffer.from(path), mtimeMs: startMs - 3_600_000 });
  }
  return bucket;
}

function sourceOf(
  bucket: MemoryBucket,
  {
    keyOf = null,
    connector = new MemoryConnector(bucket),
    include = ['**/*'],
  }: {
    keyOf?: DiscoverySource['keyOf'];
    connector?: MemoryConnector;
    include?: string[];
  } = {},
) {
  const config = { include, exclude: [], stableForMs: 0 };
  const lister = createFileLister({ connector, config, node: 'take', now: () => startMs });
  return { lister, node: 'take', keyOf, stages: noStages, parameters: {}, shardSize };
}

type Source = ReturnType<typeof sourceOf>;

/** All discovery pages of a run, one after the other. */
async function inStretches(
  store: RunStore,
  source: Source,
  names = 3,
  from = 0,
): Promise<Discovery> {
  for (let next = from; ; ) {
    const found = await discoverPage(store, source, next, { names });
    if (found.nextDiscoveryPage === undefined) return found;
    next = found.nextDiscoveryPage;
  }
}

async function foundBy(store: RunStore) {
  const { pages = 0 } = (await store.runAssets.readDiscovery()) ?? {};
  const all = Array.from({ length: pages }, (_, page) => store.runAssets.page(page));
  const refused = (await collect(store.runAssets.refused())).flat();
  return { assets: (await Promise.all(all)).flat(), refused };
}

const keysOf = async (store: RunStore) => (await foundBy(store)).assets.map(({ key }) => key);

const models = (count: number) =>
  Array.from({ length: count }, (_, at) => `models/${String(at).padStart(3, '0')}.glb`);

describe('discovery in pages', () => {
  it('assets fill pages across discovery pages, and each page returns the counts so far', async () => {
    const bucket = bucketOf(models(8));
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const source = sourceOf(bucket);
    const counts = { changed: 0, unchanged: 0, refused: 0 };
    const first = await discoverPage(store, source, 0, { names: 3 });
    expect(first).toEqual({ ...counts, total: 3, new: 3, pages: 1, nextDiscoveryPage: 1 });
    expect(await store.runAssets.page(0)).toHaveLength(2);
    await expect(store.runAssets.page(1)).rejects.toMatchObject({ code: 'RECORDS_UNREADABLE' });
    const second = await discoverPage(store, source, 1, { names: 3 });
    expect(second).toEqual({ ...counts, total: 6, new: 6, pages: 3, nextDiscoveryPage: 2 });
    const last = await discoverPage(store, source, 2, { names: 3 });
    expect(last).toEqual({ ...counts, total: 8, new: 8, pages: 4 });
    expect(await keysOf(store)).toEqual(models(8).map((path) => path.replace('.glb', '')));
    expect(await store.runAssets.page(4)).toEqual([]);
    expect((await store.lastRun())?.counts).toEqual({ total: 8, new: 8, changed: 0, unchanged: 0 });
  });

  it('a short listing is one page, with the same result as a complete discovery', async () => {
    const [one, other] = [bucketOf(models(3)), bucketOf(models(3))];
    const found = await discoverPage(storeOn(new MemoryConnector(one), 'a'), sourceOf(one), 0);
    const whole = await discoverRun(storeOn(new MemoryConnector(other), 'a'), sourceOf(other));
    expect(found).toEqual(whole);
    const objects = (bucket: MemoryBucket) =>
      [...bucket.files.keys()].map((path) => path.replace(/\/[0-9a-f]{12}\//, '/set/')).sort();
    expect(objects(one)).toEqual(objects(other));
  });

  it('a page ends when its time limit is reached', async () => {
    const bucket = bucketOf(models(5));
    let nowMs = startMs;
    const connector = new MemoryConnector(bucket);
    const config = { include: ['**/*'], exclude: [], stableForMs: 0 };
    const now = () => {
      nowMs += 10;
      return nowMs;
    };
    const lister = createFileLister({ connector, config, node: 'take', now });
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const found = await discoverPage(store, { ...sourceOf(bucket), lister }, 0, { ms: 25 });
    expect(found).toMatchObject({ total: 2, nextDiscoveryPage: 1 });
  });

  it('selected files that are still being written cause a warning', async () => {
    const bucket = bucketOf(models(2));
    const { lister, ...source } = sourceOf(bucket);
    const splitStable = async () => ({ stable: [], later: ['models/000.glb'] });
    const selector = { isSelected: () => true, isRefusedSelected: () => true, force: false };
    const selected = { ...source, lister: { ...lister, splitStable }, selector };
    const found = await discoverPage(storeOn(new MemoryConnector(bucket), 'a'), selected, 0);
    expect(found).toMatchObject({
      new: 0,
      warnings: [{ key: 'take', message: expect.stringContaining('models/000.glb') }],
    });
  });

  it('an earlier call for the same page determines the result', async () => {
    const bucket = bucketOf(models(5));
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const first = await discoverPage(store, sourceOf(bucket), 0, { names: 3 });
    bucket.files.set('models/0000.glb', { bytes: Buffer.from('late'), mtimeMs: 1 });
    expect(await discoverPage(store, sourceOf(bucket), 0, { names: 3 })).toEqual(first);
    const again = storeOn(new MemoryConnector(bucket), 'a');
    expect(await discoverPage(again, sourceOf(bucket), 0, { names: 3 })).toEqual(first);
  });

  it('nothing is left to do if everything has been delivered', async () => {
    const bucket = bucketOf(models(7));
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const { pages } = await inStretches(store, sourceOf(bucket));
    for (let shard = 0; shard < pages; shard += 1) {
      const { assets } = await openShard(store, shard, alive);
      const finalized = assets.map((asset) => settledAs('complete', asset));
      await finalizePart(store, { shard, part: 0, finalized });
    }
    const later = storeOn(new MemoryConnector(bucket), 'b');
    const found = await inStretches(later, sourceOf(bucket, { include: ['models/**'] }));
    expect(found).toEqual({ total: 7, new: 0, changed: 0, unchanged: 7, refused: 0, pages: 0 });
  });

  it('a folder is not called empty because nothing in it is selected', async () => {
    const bucket = bucketOf(models(1));
    const store = storeOn(new MemoryConnector(bucket), 'a');
    await discoverPage(store, sourceOf(bucket), 0);
    const { assets } = await openShard(store, 0, alive);
    const finalized = assets.map((asset) => settledAs('complete', asset));
    await finalizePart(store, { shard: 0, part: 0, finalized });
    const selector = { isSelected: () => false, isRefusedSelected: () => false, force: false };
    const source = { ...sourceOf(bucket), selector };
    const found = await discoverPage(storeOn(new MemoryConnector(bucket), 'b'), source, 0);
    expect(found.warnings).toBeUndefined();
  });

  it('everything is listed in one page if a store lists files in no order', async () => {
    class Unordered extends MemoryConnector {
      override async *list(prefix?: string, options?: ListOptions): AsyncGenerator<Entry> {
        const entries = await collect(super.list(prefix, options));
        yield* entries.reverse();
      }
    }
    const bucket = bucketOf(models(9));
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const source = sourceOf(bucket, { connector: new Unordered(bucket) });
    expect(await discoverPage(store, source, 0, { names: 3 })).toMatchObject({
      total: 9,
      pages: 5,
    });
    expect(await keysOf(store)).toHaveLength(9);
  });
});

describe('names that clash', () => {
  const cases: {
    what: string;
    paths: string[];
    names: number;
    keys: string[];
    refused?: string[];
  }[] = [
    {
      what: 'that differ by extension are on one page',
      paths: ['a.glb', 'b.fbx', 'b.glb', 'c.glb'],
      names: 2,
      keys: ['a', 'b.fbx', 'b.glb', 'c'],
    },
    {
      what: 'that differ by extension are on one page, even with others between them',
      paths: ['b.glb', 'b.glc.glb', 'b.gltf', 'c.glb'],
      names: 1,
      keys: ['b.glb', 'b.glc', 'b.gltf', 'c'],
    },
    {
      what: 'cause a later file with an extension to get the long key',
      paths: ['b', 'b-1.glb', 'b.glb'],
      names: 1,
      keys: ['b', 'b-1', 'b.glb'],
    },
    {
      what: 'that differ only by capitals cause the later file to be refused',
      paths: ['B.glb', 'a.glb', 'b.glb', 'c.glb'],
      names: 2,
      keys: ['B', 'a', 'c'],
      refused: ['b.glb: its key "b" clashes with "B", which was listed before'],
    },
    {
      what: 'that differ only by the spelling of accents cause the later file to be refused',
      paths: ['e\u0301.glb', 'f.glb', '\u00e9.glb'],
      names: 1,
      keys: ['\u00e9', 'f'],
      refused: ['\u00e9.glb: its key "\u00e9" clashes with'],
    },
  ];

  it.each(cases)('clashing names $what', async ({ paths, names, keys, refused = [] }) => {
    const bucket = bucketOf(paths);
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const found = await inStretches(store, sourceOf(bucket), names);
    expect(await keysOf(store)).toEqual(keys);
    const told = (await foundBy(store)).refused.map(({ message }) => message);
    expect(told).toEqual(refused.map((start) => expect.stringContaining(start) as string));
    expect(found.refused).toBe(refused.length);
    expect(found.total).toBe(paths.length);
  });

  it('clashing names from an expression leave the key to the file that was listed first', async () => {
    const paths = ['1/x.glb', '2/y.glb', '3/x.glb', '4/x.glb'];
    const bucket = bucketOf(paths);
    const store = storeOn(new MemoryConnector(bucket), 'a');
    const keyOf: DiscoverySource['keyOf'] = ({ path }) => path.slice(2, 3);
    await inStretches(store, sourceOf(bucket, { keyOf }), 1);
    expect(await keysOf(store)).toEqual(['x', 'y']);
    expect((await foundBy(store)).refused.map(({ key }) => key)).toEqual(['3/x.glb', '4/x.glb']);
  });

  it('clashing names are known to a worker that has not listed the earlier pages', async () => {
    const bucket = bucketOf(['B.glb', 'a.glb', 'b.glb']);
    for (const number of [0, 1, 2]) {
      const store = storeOn(new MemoryConnector(bucket), 'a');
      await discoverPage(store, sourceOf(bucket), number, { names: 1 });
      dropCachedWork(store);
    }
    expect(await keysOf(storeOn(new MemoryConnector(bucket), 'a'))).toEqual(['B', 'a']);
  });
});

describe('a listing that is interrupted', () => {
  const paths = [...models(7), 'models/003.fbx', 'models/bad\u0001.glb'];
  const whole = async () => {
    const bucket = bucketOf(paths);
    const store = storeOn(new MemoryConnector(bucket), 'a');
    await discoverRun(store, sourceOf(bucket));
    return foundBy(store);
  };

  it('an interrupted listing has the same result, whichever write fails', async () => {
    const wanted = await whole();
    let writes = 0;
    for (let kill = 1; kill === 1 || writes >= kill - 1; kill += 1) {
      const bucket = bucketOf(paths);
      writes = 0;
      const dying = new MemoryConnector(bucket, async (operation) => {
        if (operation !== 'write' && operation !== 'create') return;
        writes += 1;
        if (writes >= kill) throw new Error('killed');
      });
      await inStretches(storeOn(dying, 'a'), sourceOf(bucket)).catch(() => undefined);
      const store = storeOn(new MemoryConnector(bucket), 'a');
      const found = await inStretches(store, sourceOf(bucket));
      expect(await foundBy(store)).toEqual(wanted);
      expect(countToProcess(found)).toBe(wanted.assets.length);
    }
    expect(writes).toBeGreaterThan(8);
  });

  it('each page is written once when two workers repeat the listing concurrently', async () => {
    const wanted = await whole();
    const bucket = bucketOf(paths);
    const workers = [1, 2].map((names) => {
      const store = storeOn(new MemoryConnector(bucket), 'a');
      return (next: number) => discoverPage(store, sourceOf(bucket), next, { names });
    });
    for (let next: number | undefined = 0; next !== undefined; ) {
      const number: number = next;
      const [one, other] = await Promise.all(workers.map((work) => work(number)));
      expect(one).toEqual(other);
      next = one?.nextDiscoveryPage;
    }
    expect(await foundBy(storeOn(new MemoryConnector(bucket), 'a'))).toEqual(wanted);
  });
});

describe('pages of any length', () => {
  const word = fc.stringMatching(/^[a-c]{1,2}[-. ]?[a-c]?$/).filter((text) => !text.endsWith(' '));
  const path = fc
    .tuple(fc.array(word, { maxLength: 2 }), word, fc.constantFrom('glb', 'fbx', 'obj'))
    .map(([folders, name, extension]) => `${[...folders, name].join('/')}.${extension}`);

  it('pages of any length find the same assets as a discovery in one pass', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(path, { maxLength: 20, selector: (one) => one }),
        fc.integer({ min: 1, max: 6 }),
        async (drawn, names) => {
          const paths = [...drawn].sort(compareNames);
          const [one, other] = [bucketOf(paths), bucketOf(paths)];
          const whole = storeOn(new MemoryConnector(one), 'a');
          const parted = storeOn(new MemoryConnector(other), 'a');
          const expected = await discoverRun(whole, sourceOf(one));
          expect(await inStretches(parted, sourceOf(other), names)).toEqual(expected);
          expect(await foundBy(parted)).toEqual(await foundBy(whole));
        },
      ),
    );
  });
});
