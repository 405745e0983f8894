// The manifest of an export, written from the records of a pipeline in any state.
import { describe, expect, test } from 'vitest';
import {
  type ManifestContext,
  writeManifests,
} from '../../../src/features/delivery/manifest/write-manifests.ts';
import { openRunStore } from '../../../src/features/run-store.ts';
import type { DeliveryManifest } from '../../../src/plan/delivery-manifests.ts';
import type { DeliveredFile, Stages } from '../../../src/plan/types.ts';
import type { Rows } from '../../../src/store/discovery/rows/rows.ts';
import type { AssetRecord } from '../../../src/store/records/records.ts';
import { MemoryBucket, MemoryConnector } from '../../connectors/_memory-connector.ts';
import {
  manifestAsset,
  recipe,
  sourceOf,
  startMs,
  storesOver,
  withManifest,
} from '../../store/_store.ts';

const manifest: DeliveryManifest = {
  node: 'deliver',
  delivery: 'web00000',
  connector: 'shop',
  path: 'manifest.csv',
  columns: [
    ['SKU', '{{ row.sku }}'],
    ['File', '{{ file }}'],
    ['SHA', '{{ sha256 }}'],
    ['Alt', '{{ row.title }}, picture {{ index }}'],
  ],
  delimiter: ',',
  bom: false,
  images: {},
};
const withChanges = { ...manifest, changes: 'changes.csv' };

function file(path: string, sha256 = 'one', more: Partial<DeliveredFile> = {}): DeliveredFile {
  return {
    key: '',
    path,
    sha256,
    bytes: 10,
    width: 20,
    height: 30,
    output: `out-${path}`,
    delivery: 'web00000',
    ...more,
  };
}

const stagesWith = (deliveries: Stages['deliveries']): Stages => ({
  source: 's',
  composition: 'c',
  render: 'r',
  sheet: 's',
  deliveries,
});
const shop = (fingerprint: string) => ({ fingerprint, connector: 'shop' });

/** A pipeline whose runs share one store. */
function pipeline() {
  const records = new MemoryBucket();
  const destination = new MemoryBucket();
  const storeOf = storesOver(records);
  const contextOf = (run: string, more: Partial<ManifestContext> = {}): ManifestContext => ({
    store: storeOf(run),
    rows: null,
    getConnector: () => new MemoryConnector(destination),
    signal: new AbortController().signal,
    assertLease: async () => undefined,
    ...more,
  });
  return {
    records,
    destination,
    storeOf,
    contextOf,
    record: async (key: string, files: DeliveredFile[], more: Partial<AssetRecord> = {}) => {
      const store = storeOf(more.run ?? 'run-1');
      await store.records.write({
        key,
        source: { ...sourceOf(key), row: { values: { sku: `SKU-${key}`, title: `Chair ${key}` } } },
        recipe,
        platformIds: {},
        files,
        run: 'run-1',
        lineage: 'run-1',
        finishedAt: '2026-03-01T10:00:00.000Z',
        ...more,
      });
    },
    write: async (
      run: string,
      one: DeliveryManifest = manifest,
      more: Partial<ManifestContext> = {},
    ) => {
      await storeOf(run).recipes.write(recipe, stagesWith({ deliver: shop('web00000') }));
      await writeManifests([one], contextOf(run, more));
    },
    lines: (path = 'manifest.csv'): string[] => {
      const text = destination.files.get(path)?.bytes.toString() ?? '';
      return text.split('\r\n').slice(1, -1);
    },
  };
}

function tableOf(values: Record<string, { sku: string; title: string }>): Rows {
  return {
    isForKeys: false,
    version: '',
    assertVersion: () => undefined,
    unusedWarnings: () => [],
    rowOf: (key) => {
      const row = values[key ?? ''];
      return row ? { row: { values: row } } : 'skipped';
    },
  };
}

describe('the content of a manifest', () => {
  test('the manifest lists the files of all assets from all runs, in key order', async () => {
    const { record, write, lines } = pipeline();
    await record('b', [file('b.png', 'two')], { run: 'run-2' });
    await record('a', [file('a1.png', 'one'), file('a2.png', 'three')]);
    await write('run-3');
    expect(lines()).toEqual([
      'SKU-a,a1.png,one,"Chair a, picture 1"',
      'SKU-a,a2.png,three,"Chair a, picture 2"',
      'SKU-b,b.png,two,"Chair b, picture 1"',
    ]);
  });

  test("the manifest contains the table's current rows, or the stored row of an asset that is not in the table", async () => {
    const { record, write, lines } = pipeline();
    await record('a', [file('a.png')]);
    await record('b', [file('b.png')]);
    await write('run-2', manifest, {
      rows: tableOf({ a: { sku: 'NEW', title: 'Stool' } }),
    });
    expect(lines()).toEqual([
      'NEW,a.png,one,"Stool, picture 1"',
      'SKU-b,b.png,one,"Chair b, picture 1"',
    ]);
  });

  test('the manifest lists only files of its own export, including those delivered under an earlier recipe', async () => {
    const { record, storeOf, contextOf, lines } = pipeline();
    const { recipes } = storeOf('run-1');
    await recipes.write(
      'bbbbbbbb',
      stagesWith({ deliver: shop('old00000'), print: shop('tif00000') }),
    );
    await recipes.write(recipe, stagesWith({ deliver: shop('web00000'), print: shop('tif00000') }));
    await record('a', [file('a.png'), file('a.tif', 'x', { delivery: 'tif00000' })]);
    await record('b', [file('old-b.png', 'y', { delivery: 'old00000.row1' })]);
    await writeManifests([manifest], contextOf('run-2'));
    expect(lines().map((line) => line.split(',')[1])).toEqual(['a.png', 'old-b.png']);
  });

  test('the manifest lists no withdrawn files', async () => {
    const { record, write, lines } = pipeline();
    const withdrawn = {
      state: 'withdrawn',
      run: 'run-1',
      at: '',
      archived: 1,
      deleted: 0,
    } as const;
    await record('a', [file('archive/a.png', 'one', { withdrawn: 'archived' }), file('kept.png')], {
      withdrawn,
    });
    await record('b', [file('b.png', 'two', { withdrawn: 'leaving' })], {
      withdrawn: { ...withdrawn, state: 'leaving' },
    });
    await write('run-2');
    expect(lines().map((line) => line.split(',')[1])).toEqual(['kept.png']);
  });

  test('the manifest lists the files of the newer of two records that a crash has left', async () => {
    const { record, write, lines } = pipeline();
    await record('a', [file('a.png', 'old')]);
    await record('a', [file('a.png', 'new')], {
      source: sourceOf('a', '2-2'),
      finishedAt: '2026-03-02T10:00:00.000Z',
    });
    await write('run-2');
    expect(lines()).toEqual([',a.png,new,", picture 1"']);
  });

  test('the manifest lists files that its export delivered for assets that failed elsewhere', async () => {
    const { record, write, lines, storeOf } = pipeline();
    await record('b', [file('b.png', 'old'), file('b2.png')]);
    const source = { ...sourceOf('a'), row: { values: { sku: 'A', title: 'Bench' } } };
    const store = await withManifest(storeOf('run-2'), [manifestAsset('a', { source })]);
    for (const [key, sha256] of [
      ['a', 'first'],
      ['b', 'new'],
    ] as const) {
      const request = { key, version: '1-1', shard: 0 };
      const platformIds = { delivered: [file(`${key}.png`, sha256)] };
      await store.claims.claim(request, { isAlive: async () => true });
      await store.claims.markFree({ ...request, platformIds }, 'failed', null);
    }
    await write('run-2');
    expect(lines()).toEqual([
      'A,a.png,first,"Bench, picture 1"',
      'SKU-b,b2.png,one,"Chair b, picture 1"',
      'SKU-b,b.png,new,"Chair b, picture 2"',
    ]);
  });
});

test('a column can use the filters for file names', async () => {
  const { record, write, lines } = pipeline();
  await record('a', [file('a.png')]);
  const columns: DeliveryManifest['columns'] = [
    ['Position', '{{ index | pad(2) }}'],
    ['Slug', '{{ row.title | slug }}'],
    ['Bytes', '{{ bytes }}'],
  ];
  await write('run-2', { ...manifest, columns });
  expect(lines()).toEqual(['01,chair-a,10']);
});

describe('the changes in a manifest', () => {
  test('the changes are those since the last manifest of another run', async () => {
    const { record, write, lines } = pipeline();
    await record('a', [file('a.png', 'one')]);
    await record('b', [file('b.png', 'two')]);
    await write('run-1', withChanges);
    expect(lines('changes.csv').map((line) => line.split(',')[0])).toEqual(['added', 'added']);
    await record('a', [file('a.png', 'other', { output: 'new' })]);
    await record('b', [file('named-b.png', 'two', { output: 'out-b.png' })]);
    await record('c', [file('c.png')]);
    await write('run-2', withChanges);
    const second = [
      'replaced,,SKU-a,a.png,other,"Chair a, picture 1"',
      'renamed,b.png,SKU-b,named-b.png,two,"Chair b, picture 1"',
      'added,,SKU-c,c.png,one,"Chair c, picture 1"',
    ];
    expect(lines('changes.csv').sort()).toEqual(second.toSorted());
    await write('run-2', withChanges);
    expect(lines('changes.csv').sort(), 'a second attempt').toEqual(second.toSorted());
    await write('run-3', withChanges);
    expect(lines('changes.csv')).toEqual([]);
  });

  test('the changes include table rows, and removed files with their last values', async () => {
    const { record, write, lines, storeOf } = pipeline();
    await record('a', [file('a.png')]);
    await record('b', [file('b.png')]);
    await write('run-1', withChanges);
    for await (const name of storeOf('run-2').records.names({ start: 'b@' })) {
      await storeOf('run-2').records.remove(name);
    }
    const rows = tableOf({ a: { sku: 'SKU-a', title: 'Red chair' } });
    await write('run-2', withChanges, { rows });
    expect(lines('changes.csv')).toEqual([
      'updated,,SKU-a,a.png,one,"Red chair, picture 1"',
      'removed,,SKU-b,b.png,one,"Chair b, picture 1"',
    ]);
  });

  test('the changes include those of a run that died before it wrote its manifest', async () => {
    const { record, write, lines, contextOf } = pipeline();
    await record('a', [file('a.png')]);
    await write('run-1', withChanges);
    await record('b', [file('b.png')]);
    const dies = contextOf('run-2', { assertLease: () => Promise.reject(new Error('killed')) });
    await expect(writeManifests([withChanges], dies)).rejects.toThrow('killed');
    expect(lines(), 'the old manifest is in place').toHaveLength(1);
    await record('c', [file('c.png')]);
    await write('run-3', withChanges);
    expect(lines('changes.csv').map((line) => line.split(',')[3])).toEqual(['b.png', 'c.png']);
  });

  test('the changes are written to one file per run if the path contains the run', async () => {
    const { record, write, destination } = pipeline();
    await record('a', [file('a.png')]);
    await write('run-1', { ...withChanges, changes: 'changes/{{ run }}.jsonl' });
    expect([...destination.files.keys()].sort()).toEqual(['changes/run-1.jsonl', 'manifest.csv']);
  });
});

describe('two runs that end at the same time', () => {
  test("two runs leave a manifest with both runs' files", async () => {
    const { record, write, lines, storeOf } = pipeline();
    await record('a', [file('a.png')]);
    let others = 1;
    // The other run ends after this one has read the records, and before it writes.
    const assertLease = async () => {
      if (others === 0) return;
      others -= 1;
      await record('b', [file('b.png')], { run: 'run-2' });
      await write('run-2');
      expect(lines()).toHaveLength(2);
    };
    await write('run-1', manifest, { assertLease });
    expect(lines().map((line) => line.split(',')[1])).toEqual(['a.png', 'b.png']);
    expect(await storeOf('run-3').publications.begin()).toMatchObject({ number: 4, before: 3 });
  });

  test('a run still finds a record that another run replaces during the read', async () => {
    const { record, records, contextOf, storeOf, lines } = pipeline();
    await record('a', [file('a.png', 'old')]);
    let isReplaced = false;
    const connector = new MemoryConnector(records, async (operation, path) => {
      if (operation !== 'read' || !path.includes('/records/') || isReplaced) return;
      isReplaced = true;
      for await (const name of storeOf('run-2').records.names()) {
        await storeOf('run-2').records.remove(name);
      }
      await record('a', [file('a.png', 'new')], { source: sourceOf('a', '2-2') });
    });
    const context = { run: 'run-1', lineage: 'run-1', pipeline: 'shoes', recipe };
    const store = openRunStore(connector, context, { now: () => startMs });
    await writeManifests([manifest], contextOf('run-1', { store }));
    expect(lines()).toEqual([',a.png,new,", picture 1"']);
  });
});
