// Which platform resources of a pipeline are unused, and which resources are kept although they look unused.
import { describe, expect, it } from 'vitest';
import { LocalConnector } from '../../src/connectors/local.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { discoverRun } from '../../src/store/discovery/discover-run.ts';
import type { RunAsset } from '../../src/store/runs/run-assets.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { findOrphans } from '../../src/store/search/find-orphans.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { modelsFolder } from './_models-folder.ts';
import {
  alive,
  manifestAsset,
  recipe,
  sourceOf,
  startMs,
  storeOn,
  withManifest,
} from './_store.ts';

const never = new AbortController().signal;
const createdAt = new Date(startMs).toISOString();

class Place {
  readonly bucket = new MemoryBucket();
  readonly connector = new MemoryConnector(this.bucket);

  async run(
    run: string,
    { pipeline = 'shoes', assets = [manifestAsset('boot')] }: RunOptions = {},
  ): Promise<RunStore> {
    const store = storeOn(this.connector, run, { pipeline });
    await store.writeLastRun({
      parameters: {},
      counts: { total: 1, new: 1, changed: 0, unchanged: 0 },
    });
    return withManifest(store, assets);
  }

  async orphans(options: Searched = {}) {
    const { orphans } = await this.search(options);
    return orphans.map(({ kind, id, reason }) => `${kind} ${id} ${reason}`);
  }

  search({ open = [], places = [] }: Searched = {}) {
    return findOrphans({
      pipeline: 'shoes',
      connectors: [this.connector, ...places.map(({ connector }) => connector)],
      openRuns: async () => new Set(open),
      signal: never,
      onProgress: () => undefined,
    });
  }
}

interface Searched {
  open?: string[];
  places?: Place[];
}

interface RunOptions {
  pipeline?: string;
  assets?: RunAsset[];
}

const makers = {
  modelId: 'createJob',
  projectId: 'createProjects',
  propId: 'createProps',
  decalId: 'createDecals',
  materialId: 'createMaterial',
} as const;

/** Calls of a run, each of which created one of these resources. */
async function make(
  store: RunStore,
  platformIds: { [Field in keyof typeof makers]?: string },
  key = 'boot',
) {
  for (const field of Object.keys(platformIds) as (keyof typeof makers)[]) {
    const intents = store.intents(0, 'step');
    const operation = makers[field];
    const name = `${operation} ${platformIds[field]}`;
    await intents.open({ operation, key: name, bodyText: '{}', assets: [key], createdAt });
    await intents.finish(name, { [key]: { [field]: platformIds[field] } });
  }
}

/** The run delivers an asset with these resources. */
async function deliver(store: RunStore, platformIds: PlatformIds, key = 'boot', version = '1-1') {
  const index = await store.records.index();
  const before = index.get(key);
  const { run, lineage } = store.context;
  const source = sourceOf(key, version);
  const record = {
    key,
    source,
    recipe,
    platformIds,
    files: [],
    run,
    lineage,
    finishedAt: createdAt,
  };
  await store.records.write(record, before ? [before.name, ...before.older] : []);
  await store.claims.release(key);
}

const claimed = { key: 'boot', version: '1-1', shard: 0 };

describe('resources that are not orphans', () => {
  it('no orphans are found if no resource was ever created', async () => {
    expect(await new Place().orphans()).toEqual([]);
  });

  it('resources of every kind that the record of an asset contains are not orphans', async () => {
    const place = new Place();
    const store = await place.run('r1');
    const platformIds = {
      modelId: 'm',
      projectId: 'p',
      propId: 'pr',
      decalId: 'd',
      materialId: 'ma',
    };
    await make(store, platformIds);
    await deliver(store, platformIds);
    expect(await place.orphans()).toEqual([]);
  });

  it.each(['failed', 'cancelled'] as const)(
    'resources that a %s asset has left for the next run are not orphans',
    async (state) => {
      const place = new Place();
      const store = await place.run('r1');
      await make(store, { modelId: 'm1', projectId: 'p1' });
      await store.claims.claim(claimed, alive);
      await store.claims.markFree(
        { ...claimed, platformIds: { modelId: 'm1', projectId: 'p1' } },
        state,
        null,
      );
      expect(await place.orphans()).toEqual([]);
      // The project was not finished, so the claim does not keep the project. The next run creates another one.
      await store.claims.markFree({ ...claimed, platformIds: { modelId: 'm1' } }, state, null);
      expect(await place.orphans()).toEqual(['project p1 unused']);
      // A gateway refused the confirmation of the upload, so that the asset failed without its model.
      await store.claims.markFree({ ...claimed, platformIds: {} }, state, null);
      expect(await place.orphans()).toEqual(['project p1 unused', 'model m1 unused']);
    },
  );

  it('resources of an asset with a working claim are not orphans, even if its run has died', async () => {
    const place = new Place();
    const store = await place.run('r1');
    await make(store, { modelId: 'm1', projectId: 'p1' });
    await store.claims.claim({ ...claimed, platformIds: {} }, alive);
    expect(await place.orphans()).toEqual([]);
  });

  it.each(['boot', 'x'.repeat(98), `${'/Boot'.repeat(30)}`])(
    'the model of a cell with a working claim is not an orphan, even if its run has died: %s',
    async (model) => {
      const place = new Place();
      const store = await place.run('r1');
      await make(store, { modelId: 'm1' }, model);
      await make(store, { projectId: 'p1' }, `${model}@Oak@front`);
      await make(store, { modelId: 'm2' }, 'cap');
      await store.claims.claim({ ...claimed, key: `${model}@Oak@front` }, alive);
      expect(await place.orphans()).toEqual(['model m2 undelivered']);
    },
  );

  it('resources of an asset whose claim or record cannot be read are not orphans', async () => {
    for (const folder of ['claims', 'records']) {
      const place = new Place();
      const store = await place.run('r1');
      await make(store, { modelId: 'm1' });
      if (folder === 'claims') await store.claims.claim(claimed, alive);
      else await deliver(store, { modelId: 'm2' });
      for (const [path, file] of place.bucket.files) {
        if (path.includes(`/${folder}/`)) file.bytes = Buffer.from('{"schema":');
      }
      expect(await place.orphans(), folder).toEqual([]);
    }
  });

  it('resources of an open run are not orphans', async () => {
    const place = new Place();
    await make(await place.run('r1'), { modelId: 'm1' });
    expect(await place.orphans({ open: ['r1'] })).toEqual([]);
    expect(await place.orphans()).toEqual(['model m1 undelivered']);
  });

  it('resources that another pipeline of the same store has delivered, claimed or listed are not orphans', async () => {
    const place = new Place();
    await make(await place.run('r1'), { modelId: 'm1', projectId: 'p2' });
    await make(await place.run('r2'), { modelId: 'm3' });
    const hats = await place.run('h1', { pipeline: 'hats' });
    await deliver(hats, { modelId: 'm1' }, 'hat');
    await hats.claims.markFree(
      { key: 'cap', version: '1', shard: 0, platformIds: { projectId: 'p2' } },
      'failed',
      null,
    );
    const taken = { ...manifestAsset('m3'), source: { ...sourceOf('m3'), id: 'm3' } };
    await place.run('h2', { pipeline: 'hats', assets: [taken] });
    expect(await place.orphans({ open: ['h2'] })).toEqual([]);
    // Only records and claims count for a closed run.
    expect(await place.orphans()).toEqual(['model m3 undelivered']);
  });

  it('the search lists the users of resources, which are runs, other pipelines, and assets of the pipeline', async () => {
    const place = new Place();
    const first = await place.run('r1');
    await make(first, { modelId: 'm1', projectId: 'p1', propId: 'pr1', decalId: 'd1' });
    await make(await place.run('r2'), { modelId: 'm2' });
    await deliver(first, { modelId: 'm1', projectId: 'p1' });
    await first.claims.markFree(
      { key: 'cap', version: '1', shard: 0, platformIds: { propId: 'pr1' } },
      'failed',
      null,
    );
    await deliver(await place.run('h1', { pipeline: 'hats' }), { decalId: 'd1' }, 'hat');
    expect(await place.search({ open: ['r2'] })).toMatchObject({
      orphans: [],
      usedBy: [
        { user: 'assets that are delivered', resources: 2 },
        { user: 'run r2, which is still running', resources: 1 },
        { user: 'assets that a run has started but not delivered', resources: 1 },
        { user: 'pipeline hats', resources: 1 },
      ],
    });
  });

  it('resources of a pipeline with records in another store are not orphans', async () => {
    const place = new Place();
    await make(await place.run('r1'), { modelId: 'm1' });
    const elsewhere = new Place();
    await deliver(await elsewhere.run('h1', { pipeline: 'hats' }), { modelId: 'm1' }, 'hat');
    expect(await place.orphans({ places: [elsewhere] })).toEqual([]);
    expect(await place.orphans()).toEqual(['model m1 undelivered']);
  });
});

describe('orphans in a folder, after runs of pipelines with --only', () => {
  const only = { isSelected: () => true, isRefusedSelected: () => false, force: false };

  /** Runs of two pipelines with --only: each delivers one file, `hats` with a model of `shoes`. */
  async function runInParts() {
    const { connector, source } = await modelsFolder({ 'boot.glb': 'boot' });
    const run = { ...source, parameters: {}, shardSize: 10, selector: only };
    const shoes = storeOn(connector, 's1');
    await discoverRun(shoes, run);
    await make(shoes, { modelId: 'm1', projectId: 'p1' });
    await make(shoes, { modelId: 'm2' }, 'cap');
    await deliver(shoes, { modelId: 'm1', projectId: 'p1' });
    const hats = storeOn(connector, 'h1', { pipeline: 'hats' });
    await discoverRun(hats, run);
    await deliver(hats, { modelId: 'm2' }, 'hat');
    return { connector, shoes };
  }

  const search = (connector: LocalConnector) =>
    findOrphans({
      pipeline: 'shoes',
      connectors: [connector],
      openRuns: async () => new Set(),
      signal: never,
      onProgress: () => undefined,
    });

  it('delivered resources are in use', async () => {
    const { connector } = await runInParts();
    expect(await search(connector)).toMatchObject({
      orphans: [],
      usedBy: [
        { user: 'assets that are delivered', resources: 2 },
        { user: 'pipeline hats', resources: 1 },
      ],
    });
  });

  it('a resource that no asset has delivered is an orphan', async () => {
    const { connector, shoes } = await runInParts();
    await make(shoes, { projectId: 'p2' });
    const { orphans } = await search(connector);
    expect(orphans).toMatchObject([{ kind: 'project', id: 'p2', reason: 'replaced' }]);
  });
});

describe('an orphan', () => {
  it('the model and project of an earlier version of a file are orphans', async () => {
    const place = new Place();
    const first = await place.run('r1');
    await make(first, { modelId: 'm1', projectId: 'p1' });
    await deliver(first, { modelId: 'm1', projectId: 'p1' });
    const second = await place.run('r2');
    await make(second, { modelId: 'm2', projectId: 'p2' });
    await deliver(second, { modelId: 'm2', projectId: 'p2' }, 'boot', '2-2');
    expect(await place.orphans()).toEqual(['project p1 replaced', 'model m1 replaced']);
  });

  it('the project of an older recipe is an orphan, but not its model', async () => {
    const place = new Place();
    const first = await place.run('r1');
    await make(first, { modelId: 'm1', projectId: 'p1' });
    const second = await place.run('r2');
    await make(second, { projectId: 'p2' });
    await deliver(second, { modelId: 'm1', projectId: 'p2' });
    expect(await place.orphans()).toEqual(['project p1 replaced']);
  });

  it('each earlier model whose upload links had expired is an orphan', async () => {
    const place = new Place();
    const store = await place.run('r1');
    await make(store, { modelId: 'm1' });
    await store.intents(0, 'step').abandon('createJob m1');
    await make(store, { modelId: 'm2' });
    await deliver(store, { modelId: 'm2' });
    expect(await place.orphans()).toEqual(['model m1 abandoned']);
  });

  it('a library item of an older version is an orphan, whatever its kind', async () => {
    const place = new Place();
    const old = { propId: 'pr1', decalId: 'd1', materialId: 'ma1' };
    await make(await place.run('r1'), old);
    const store = await place.run('r2');
    await deliver(store, { propId: 'pr2', decalId: 'd2' });
    expect(await place.orphans()).toEqual([
      'prop pr1 replaced',
      'decal d1 replaced',
      'material ma1 unused',
    ]);
  });

  it('a resource of an asset without a record or a claim is an orphan', async () => {
    const place = new Place();
    await make(await place.run('r1'), { modelId: 'm1' });
    expect(await place.orphans()).toEqual(['model m1 undelivered']);
  });

  it('a resource that a call only mentioned or returned, or that another pipeline created, is never an orphan', async () => {
    const place = new Place();
    const store = await place.run('r1');
    const intents = store.intents(0, 'shots');
    const bodyText = '{"projectIds":["theirs"]}';
    await intents.open({
      operation: 'createRenders',
      key: 'k',
      bodyText,
      assets: ['boot'],
      createdAt,
    });
    await intents.finish('k', {
      boot: { jobId: 'j', batchId: 'b', projectId: 'theirs', modelId: 'x' },
    });
    await make(await place.run('h1', { pipeline: 'hats' }), { modelId: 'm1' });
    expect(await place.orphans()).toEqual([]);
  });

  it('no orphan is reported for a call that cannot be read or has no response', async () => {
    const place = new Place();
    const store = await place.run('r1');
    await make(store, { modelId: 'm1' });
    for (const [path, file] of place.bucket.files) {
      if (path.includes('/intents/')) file.bytes = Buffer.from('{');
    }
    const wish = {
      operation: 'createModels',
      key: 'k',
      bodyText: '{}',
      assets: ['boot'],
      createdAt,
    };
    await store.intents(0, 'take').open(wish);
    expect(await place.orphans()).toEqual([]);
  });
});

it('a resource of two runs with the same key is in use while one of the runs is open', async () => {
  const place = new Place();
  await make(await place.run('r1'), { modelId: 'm1' });
  await make(await place.run('r2'), { modelId: 'm1' });
  expect(await place.orphans({ open: ['r1'] })).toEqual([]);
  expect(await place.orphans({ open: ['r2'] })).toEqual([]);
});

it('a missing location is reported', async () => {
  const place = new Place();
  await make(await place.run('r1'), { modelId: 'm1' });
  const bucket = new MemoryBucket();
  bucket.exists = false;
  const { missing } = await findOrphans({
    pipeline: 'shoes',
    connectors: [place.connector, new MemoryConnector(bucket)],
    openRuns: async () => new Set(),
    signal: never,
    onProgress: () => undefined,
  });
  expect(missing).toEqual(['memory']);
});
