// Which runs contain a platform id: every kind of id, from every source.
import { describe, expect, it } from 'vitest';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import type { NewIntent } from '../../src/store/calls/intents.ts';
import { KeyStatusReader } from '../../src/store/runs/key-status.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { findId, type RunSightings } from '../../src/store/search/find-id.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import {
  alive,
  assetOf,
  manifestAsset,
  settledAs,
  sourceOf,
  startMs,
  storeOn,
  withManifest,
} from './_store.ts';

const never = new AbortController().signal;

class Place {
  readonly bucket = new MemoryBucket();
  readonly read: string[] = [];
  #runs = 0;

  /** A run that has found assets. Later calls create newer runs. */
  async run(
    run: string,
    keys: readonly string[] = ['chair'],
    more: Parameters<typeof manifestAsset>[1] = {},
  ): Promise<RunStore> {
    const store = storeOn(new MemoryConnector(this.bucket), run);
    await withManifest(
      store,
      keys.map((key) => manifestAsset(key, more)),
    );
    this.#runs += 1;
    for (const [path, file] of this.bucket.files) {
      if (path.endsWith(`/${run}/manifest/index.json`)) file.mtimeMs = this.#runs;
    }
    return store;
  }

  find(id: string, open: readonly string[] = []): ReturnType<typeof findId> {
    const connector = new MemoryConnector(this.bucket, async (operation, path) => {
      if (operation === 'read') this.read.push(path);
    });
    const isOpen = (run: string) => open.includes(run);
    const onProgress = () => undefined;
    return findId({ connector, pipeline: 'shoes', id, isOpen, signal: never, onProgress });
  }
}

async function call(
  store: RunStore,
  step: string,
  wish: Pick<NewIntent, 'operation'> & Partial<NewIntent> & { body?: object },
  answer?: Record<string, PlatformIds>,
): Promise<void> {
  const { body, ...rest } = wish;
  const intents = store.intents(0, step);
  const createdAt = new Date(startMs).toISOString();
  const bodyText = body ? JSON.stringify(body) : '';
  const key = `${step} ${wish.operation} ${bodyText}`;
  await intents.open({ key, bodyText, assets: ['chair'], createdAt, ...rest });
  if (answer) await intents.finish(key, answer);
}

const brief = (found: readonly RunSightings[]) =>
  found.flatMap(({ run, assets }) =>
    assets.map(({ key, kind, via, step, operation }) => [run, key, kind, via, step, operation]),
  );

describe('an id in the response of a call', () => {
  const colorway = { before: 'x', batchId: 'cb1' };
  it.each<[string, string, string, PlatformIds]>([
    ['model', 'createJob', 'm1', { modelId: 'm1' }],
    ['model', 'createModels', 'm1', { modelId: 'm1' }],
    ['project', 'createProjects', 'p1', { projectId: 'p1', ownProject: true }],
    ['render-job', 'createRenders', 'j1', { jobId: 'j1', batchId: 'b1' }],
    ['render-batch', 'createRenders', 'b1', { jobId: 'j1', batchId: 'b1' }],
    ['render-job', 'retryRenderJob', 'j2', { jobId: 'j2', batchId: 'b2' }],
    ['production-export', 'exportProductionFile', 'e1', { sheet: { exportId: 'e1' } }],
    ['production-file', 'exportProductionFile', 'f1', { sheet: { fileId: 'f1', name: 'PF-1' } }],
    ['colorway-batch', 'createColorwayBatch', 'cb1', { colorway }],
  ])(
    'the id of a %s in the response of %s is reported as created by this call',
    async (kind, operation, id, platformIds) => {
      const place = new Place();
      await call(await place.run('r1'), 'step', { operation }, { chair: platformIds });
      const { found } = await place.find(id);
      expect(brief(found)).toEqual([['r1', 'chair', kind, 'created', 'step', operation]]);
    },
  );
});

it('a GUID is found in mixed case', async () => {
  const place = new Place();
  const modelId = '0F8fad5b-D9cb469F-a16570867728950E';
  await call(await place.run('r1'), 'step', { operation: 'createJob' }, { chair: { modelId } });
  const { found } = await place.find('{0f8fad5b-d9cb-469f-a165-70867728950e}');
  expect(brief(found)).toEqual([['r1', 'chair', 'model', 'created', 'step', 'createJob']]);
});

describe('an id in the request of a call', () => {
  const manual = { type: 'manual', modelIds: ['m1'] };
  it.each<[string, string, string, object]>([
    ['model', 'createProjects', 'm1', { body: { modelIds: ['m1'] } }],
    ['template', 'createProjects', 't1', { body: { modelIds: ['m1'], templateId: 't1' } }],
    ['project', 'createRenders', 'p1', { body: { projectIds: ['p1'] } }],
    ['variant', 'createRenders', 'v1', { body: { settings: { variantsToRender: ['v1', 'v2'] } } }],
    ['variant', 'exportProductionFile', 'v2', { body: { variantIds: ['v1', 'v2'] } }],
    ['job', 'confirmJobUploads', 'u1', { params: { jobId: 'u1' } }],
    ['render-job', 'retryRenderJob', 'j1', { params: { jobId: 'j1' } }],
    ['colorway-job', 'retryColorwayJob', 'c1', { params: { batchId: 'cb1', jobId: 'c1' } }],
    ['colorway-batch', 'retryColorwayJob', 'cb1', { params: { batchId: 'cb1', jobId: 'c1' } }],
    ['model', 'createColorwayBatch', 'm1', { body: { modelScope: manual } }],
    ['material', 'createColorwayBatch', 'mat1', { body: { swapRules: [{ materialId: 'mat1' }] } }],
  ])(
    'the id of a %s in the request of %s is reported as sent by this call',
    async (kind, operation, id, wish) => {
      const place = new Place();
      await call(await place.run('r1'), 'step', { operation, ...wish }, {});
      const { found } = await place.find(id);
      expect(brief(found)).toEqual([['r1', 'chair', kind, 'sent', 'step', operation]]);
    },
  );

  it('the id belongs to the asset at its position in the list, or to all of them', async () => {
    const place = new Place();
    const assets = ['a', 'b', 'c'];
    const body = { projectIds: ['p1', 'p2', 'p3'], settings: { variantsToRender: ['v1'] } };
    await call(await place.run('r1', assets), 'shots', {
      operation: 'createRenders',
      assets,
      body,
    });
    expect(brief((await place.find('p2')).found).map(([, key]) => key)).toEqual(['b']);
    expect(brief((await place.find('v1')).found).map(([, key]) => key)).toEqual(assets);
  });

  it('the id is not reported as created by a retry that only returns it', async () => {
    const place = new Place();
    const store = await place.run('r1');
    const platformIds: PlatformIds = { colorway: { before: 'x', batchId: 'cb1', tries: 1 } };
    const wish = { operation: 'retryColorwayJob', known: { chair: platformIds } };
    await call(store, 'colors', wish, { chair: platformIds });
    const [[, , , via] = []] = brief((await place.find('cb1')).found);
    expect(via).toBe('sent');
  });

  it('the id is not found in names or keys', async () => {
    const place = new Place();
    const store = await place.run('r1', ['m1']);
    const models = [{ fileName: 'm1', name: 'm1' }];
    await call(store, 'take', { operation: 'createJob', assets: ['m1'], body: { models } }, {});
    expect((await place.find('m1')).found).toEqual([]);
  });
});

describe('an id in the results', () => {
  const output = { id: 'o1', name: 'front', fileType: 'PNG', isVideo: false, isPreview: false };
  it.each<[string, string, PlatformIds, string | null]>([
    ['render', 'o1', { outputs: [output] }, 'shots'],
    ['variant', 'v1', { variants: ['v1'] }, 'colors'],
    ['colorway-job', 'c1', { colorway: { before: '', batchId: 'cb', jobId: 'c1' } }, 'colors'],
    ['production-file', 'f1', { sheet: { fileId: 'f1', name: 'PF-1' } }, 'sheet'],
    ['model', 'm9', { modelId: 'm9' }, null],
    // This is a node type with an additional field. Field names decide the kinds of ids.
    ['decal', 'd1', { decalId: 'd1' } as PlatformIds, null],
  ])(
    'the id of a %s is reported for its asset, with the step, if any, that created it',
    async (kind, id, platformIds, step) => {
      const place = new Place();
      const store = await place.run('r1');
      await call(store, 'shots', { operation: 'createRenders' }, {});
      await call(store, 'colors', { operation: 'createColorwayBatch' }, {});
      await call(store, 'sheet', { operation: 'exportProductionFile' }, {});
      const failure = { key: 'chair', node: 'x', code: 'X', message: '', attempts: 1 };
      const settled = settledAs('failed', assetOf('chair', platformIds), { failure });
      await store.results.write('r1', 0, 0, [settled]);
      const { found } = await place.find(id);
      expect(brief(found)).toEqual([['r1', 'chair', kind, 'received', step, null]]);
      expect(found[0]?.assets[0]?.finalized).toEqual(settled);
    },
  );
});

describe('an id that the run received from the listing', () => {
  it('the id is found before any asset is finalized', async () => {
    const place = new Place();
    const source = { ...sourceOf('chair'), id: 'm1' };
    await place.run('r1', ['chair'], { source, platformIds: { modelId: 'm1' } });
    expect(brief((await place.find('m1')).found)).toEqual([
      ['r1', 'chair', 'model', 'listed', null, null],
    ]);
  });

  it('the id has the kind that a call shows if the manifest does not contain it', async () => {
    const place = new Place();
    const source = { ...sourceOf('chair'), id: 'm1' };
    const store = await place.run('r1', ['chair'], { source });
    await call(store, 'make', { operation: 'createProjects', body: { modelIds: ['m1'] } }, {});
    const [[, , kind, came] = []] = brief((await place.find('m1')).found);
    expect([kind, came]).toEqual(['model', 'listed']);
  });
});

describe('an id that several runs have', () => {
  async function twoRuns(): Promise<Place> {
    const place = new Place();
    await place.run('r0');
    const first = await place.run('r1');
    await call(first, 'take', { operation: 'createJob' }, { chair: { modelId: 'm1' } });
    const second = await place.run('r2');
    const body = { modelIds: ['m1'] };
    await call(second, 'make', { operation: 'createProjects', body }, {});
    const done = settledAs('complete', assetOf('chair', { modelId: 'm1', projectId: 'p1' }));
    await second.results.write('r2', 0, 0, [done]);
    await place.run('r3');
    return place;
  }

  it('the id is found in all runs, newest first, back to the run that created it', async () => {
    const place = await twoRuns();
    const { found, runs } = await place.find('m1');
    expect(brief(found).map(([run, , , came]) => [run, came])).toEqual([
      ['r2', 'sent'],
      ['r1', 'created'],
    ]);
    expect(runs).toBe(4);
  });

  it('the id is not searched for in the intents of older runs', async () => {
    const place = await twoRuns();
    const oldest = storeOn(new MemoryConnector(place.bucket), 'r0');
    await call(oldest, 'take', { operation: 'createJob' }, {});
    await place.find('m1');
    expect(place.read.filter((path) => path.includes('/r0/intents/'))).toEqual([]);
  });

  it('the id is returned with the result of the asset even if only a call has the id', async () => {
    const place = new Place();
    const store = await place.run('r1');
    const params = { jobId: 'u1' };
    await call(store, 'take', { operation: 'confirmJobUploads', params }, {});
    await store.results.write('r1', 0, 0, [settledAs('complete', assetOf('chair'))]);
    const [run] = (await place.find('u1')).found;
    expect(run?.assets[0]?.finalized?.outcome).toBe('complete');
  });

  it('the id is found without reading any object twice', async () => {
    const place = await twoRuns();
    await place.find('nowhere');
    const pages = place.read.filter((path) => !path.endsWith('index.json'));
    expect(new Set(pages).size).toBe(pages.length);
    expect(pages.length).toBeGreaterThan(4);
  });

  it('the id is searched for in calls of an open run, even if an older run has the id in its results', async () => {
    const place = new Place();
    const first = await place.run('r1');
    await call(first, 'take', { operation: 'createJob' }, { chair: { modelId: 'm1' } });
    await first.results.write('r1', 0, 0, [
      settledAs('failed', assetOf('chair', { modelId: 'm1' })),
    ]);
    const second = await place.run('r2');
    await call(second, 'make', { operation: 'createProjects', body: { modelIds: ['m1'] } });
    const runs = async (open: string[]) => brief((await place.find('m1', open)).found);
    expect((await runs(['r2'])).map(([run]) => run)).toEqual(['r2', 'r1']);
  });

  it('the assets are counted if the id belongs to a large number of them', async () => {
    const place = new Place();
    const keys = Array.from({ length: 250 }, (_, index) => `k${index}`);
    const store = await place.run('r1', keys);
    const settled = keys.map((key) => settledAs('complete', assetOf(key, { templateId: 't1' })));
    await store.results.write('r1', 0, 0, settled);
    const [found] = (await place.find('t1')).found;
    expect([found?.count, found?.assets.length]).toEqual([250, 100]);
  });
});

it.each(['3f2504e0-4f89-41d3-9a0c-0305e82c3301', '{3F2504E0-4F89-41D3-9A0C-0305E82C3301}'])(
  'an id is found in every spelling of a GUID: %s',
  async (id) => {
    const place = new Place();
    const store = await place.run('r1');
    const body = { variantIds: ['3f2504e04f8941d39a0c0305e82c3301'] };
    await call(store, 'sheet', { operation: 'exportProductionFile', body });
    expect((await place.find(id)).found).toHaveLength(1);
  },
);

it('damaged objects are counted, and all others are found', async () => {
  const place = new Place();
  const store = await place.run('r1');
  await call(store, 'take', { operation: 'createJob' }, { chair: { modelId: 'm1' } });
  const path = '.renderline/shoes/runs/r1/results/00000-00000.json';
  place.bucket.files.set(path, { bytes: Buffer.from('{"settled":["m1"'), mtimeMs: 1 });
  const { found, damaged } = await place.find('m1');
  expect([found.length, damaged]).toEqual([1, 1]);
});

it('the count of searched runs includes no run that is older than the one that created the id', async () => {
  const place = new Place();
  await place.run('r1');
  const store = await place.run('r2');
  await call(store, 'take', { operation: 'createJob' }, { chair: { modelId: 'm1' } });
  expect(await place.find('m1', ['r2'])).toMatchObject({ runs: 1 });
  expect(await place.find('unknown', ['r2'])).toMatchObject({ runs: 2 });
});

it('a search in a location without runs finds nothing', async () => {
  expect(await new Place().find('m1')).toEqual({ found: [], runs: 0, objects: 0, damaged: 0 });
});

describe('the status of a key', () => {
  it('the status of a key is found by its record, without a listing if recipe and version are known', async () => {
    const place = new Place();
    const store = await place.run('r1');
    const { source } = assetOf('chair');
    await store.writeLastRun({
      parameters: {},
      counts: { total: 1, new: 1, changed: 0, unchanged: 0 },
    });
    const { recipe } = store.context;
    const delivered = { key: 'chair', source, recipe, platformIds: {}, files: [], run: 'r1' };
    await store.records.write({ ...delivered, lineage: 'r1', finishedAt: 'now' });
    const listed: string[] = [];
    const connector = new MemoryConnector(place.bucket, async (operation, path) => {
      if (operation === 'list') listed.push(path);
    });
    const standings = new KeyStatusReader(storeOn(connector, 'asking', { recipe: '' }));
    expect((await standings.read('chair', source.version)).record?.run).toBe('r1');
    expect(listed).toEqual([]);
    expect((await standings.read('chair', 'another')).record?.run).toBe('r1');
    expect(listed).toHaveLength(1);
  });

  it('the status of a key is found by its claim, or is empty', async () => {
    const place = new Place();
    const store = await place.run('r1');
    await store.claims.claim({ key: 'chair', version: '1-1', shard: 0 }, alive);
    const standings = new KeyStatusReader(storeOn(new MemoryConnector(place.bucket), 'asking'));
    expect((await standings.read('chair', '1-1')).claim).toMatchObject({
      state: 'working',
      run: 'r1',
    });
    expect(await standings.read('table', null)).toEqual({ record: null, claim: null });
  });
});
