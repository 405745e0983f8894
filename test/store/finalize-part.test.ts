import { describe, expect, it } from 'vitest';
import { openRunStore } from '../../src/features/run-store.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { recordName } from '../../src/store/objects/object-name.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { collect } from '../connectors/_temp-folder.ts';
import { colorway, inCell } from '../plan/_cells.ts';
import {
  alive,
  assetOf,
  dead,
  manifestAsset,
  recipe,
  settledAs,
  sourceOf,
  startMs,
  storeOn,
  storesOver,
  withManifest,
} from './_store.ts';

const size = { bytes: 9, width: 3, height: 2 };
const file = { key: 'one', path: 'one.jpg', ...size, sha256: 'ab', output: 'o', delivery: 'd' };
const failure = { key: 'one', node: 'shots', code: 'FAILED', message: 'no', attempts: 1 };

/** A run that has opened a shard with these keys. */
async function opened(bucket: MemoryBucket, keys: string[]) {
  const store = await withManifest(
    storesOver(bucket)('a'),
    keys.map((key) => manifestAsset(key)),
  );
  const { assets } = await openShard(store, 0, alive);
  return { store, assets };
}

function settle(store: ReturnType<typeof storeOn>, finalized: FinalizedAsset[], part = 0) {
  return finalizePart(store, { shard: 0, part, finalized });
}

describe('finalizing an asset', () => {
  it('finalizing writes the record of a complete asset and releases its claim', async () => {
    const { store } = await opened(new MemoryBucket(), ['one']);
    const asset = assetOf('one', { modelId: 'm' });
    const finalized = [settledAs('complete', asset, { files: [file] })];
    await settle(store, finalized);
    expect(await store.records.find('one')).toEqual({
      schema: 'renderline/asset/v1',
      key: 'one',
      source: sourceOf('one'),
      recipe,
      platformIds: { modelId: 'm' },
      files: [file],
      run: 'a',
      lineage: 'a',
      finishedAt: '2026-03-01T10:00:00.000Z',
    });
    expect(await store.claims.read('one')).toBeNull();
    expect(await collect(store.results.read('a'))).toEqual(finalized);
  });

  it('finalizing keeps the claim of a failed asset, with its ids and the reason', async () => {
    const { store } = await opened(new MemoryBucket(), ['one']);
    await settle(store, [settledAs('failed', assetOf('one', { modelId: 'm' }), { failure })]);
    expect(await store.claims.read('one')).toMatchObject({
      state: 'failed',
      platformIds: { modelId: 'm' },
      failure,
    });
    expect(await store.records.find('one')).toBeNull();
  });

  it('the claim of an asset that fails again keeps the last file that each export delivered', async () => {
    const { store } = await opened(new MemoryBucket(), ['one']);
    const [shop, old] = [
      { ...file, delivery: 'shop' },
      { ...file, sha256: 'old' },
    ];
    const asset = assetOf('one', { modelId: 'm', delivered: [old, shop] });
    await settle(store, [settledAs('failed', asset, { files: [file], failure })]);
    const claim = await store.claims.read('one');
    expect(claim?.platformIds).toEqual({ modelId: 'm', delivered: [file, shop] });
  });

  it.each<[string, PlatformIds]>([
    ['model', { modelId: 'm' }],
    ['prop', { propId: 'p' }],
    ['decal', { decalId: 'd', itemReady: true }],
    ['material', { materialId: 'm' }],
  ])(
    'a cancelled or skipped asset whose file was uploaded as a %s keeps its claim',
    async (_kind, platformIds) => {
      for (const outcome of ['cancelled', 'skipped'] as const) {
        const { store } = await opened(new MemoryBucket(), ['one']);
        await settle(store, [settledAs(outcome, assetOf('one', platformIds))]);
        expect(await store.claims.read('one')).toMatchObject({ state: outcome, platformIds });
      }
    },
  );

  it('the render of a cancelled asset and a running render job are kept, but not a cancelled job', async () => {
    const drawn = { id: 'o', name: 'one', fileType: 'PNG', isVideo: false, isPreview: false };
    const job = { modelId: 'm', projectId: 'p', jobId: 'j', batchId: '' };
    const left = async (platformIds: PlatformIds, renderContinues = false) => {
      const { store } = await opened(new MemoryBucket(), ['one']);
      await settle(store, [
        settledAs('cancelled', assetOf('one', platformIds), { renderContinues }),
      ]);
      return (await store.claims.read('one'))?.platformIds;
    };
    // The render is finished, whichever batch started it.
    expect(await left({ ...job, outputs: [drawn] })).toEqual({ ...job, outputs: [drawn] });
    expect(await left(job, true)).toEqual(job);
    expect(await left(job)).toEqual({ modelId: 'm', projectId: 'p' });
  });

  it.each<['open' | 'done', versions: string[] | undefined, state: string | null]>([
    ['open', undefined, 'cancelled'],
    ['done', undefined, null],
    // The version shows that this run started the upload, but the outcome of the upload is unknown.
    ['done', ['1-1'], 'cancelled'],
  ])(
    'a cancelled asset with a call that is %s, for the versions %j, leaves a claim with the state %j',
    async (call, versions, state) => {
      const { store } = await opened(new MemoryBucket(), ['one']);
      const intents = store.intents(0, 'shots');
      const { intent } = await intents.open({
        operation: 'createRenders',
        key: 'k',
        bodyText: '{}',
        assets: ['one'],
        ...(versions ? { versions } : {}),
        createdAt: '2026-03-01T10:00:00.000Z',
      });
      if (call === 'done') await intents.finish(intent.key, {});
      await settle(store, [settledAs('cancelled', assetOf('one'))]);
      expect((await store.claims.read('one'))?.state ?? null).toBe(state);
    },
  );

  it('a cancelled asset whose calls were sent by an earlier run keeps its claim', async () => {
    const bucket = new MemoryBucket();
    const first = await opened(bucket, ['one']);
    await first.store.intents(0, 'take').open({
      operation: 'createJob',
      key: 'k',
      bodyText: '{}',
      assets: ['one'],
      versions: ['1-1'],
      createdAt: '2026-03-01T10:00:00.000Z',
    });
    await settle(first.store, [settledAs('cancelled', assetOf('one'))]);
    const second = await withManifest(storesOver(bucket)('b'), [manifestAsset('one')]);
    await openShard(second, 0, alive);
    await settle(second, [settledAs('cancelled', assetOf('one'))]);
    expect(await second.claims.read('one')).toMatchObject({
      state: 'cancelled',
      from: [{ run: 'a', shard: 0 }],
    });
  });

  it.each([
    ['skipped', assetOf('one', { templateId: 't' })],
    ['cancelled', assetOf('one', { templateId: 't' })],
    ['cancelled', assetOf('one')],
  ] as const)('finalizing frees a %s asset', async (outcome, asset) => {
    const { store } = await opened(new MemoryBucket(), ['one']);
    await settle(store, [settledAs(outcome, asset)]);
    expect(await store.claims.read('one')).toBeNull();
    expect([...(await store.records.index()).entries()]).toEqual([]);
    expect(await collect(store.results.read('a'))).toMatchObject([{ key: 'one', outcome }]);
  });

  it('finalizing keeps the hash of the uploaded file', async () => {
    const bucket = new MemoryBucket();
    const connector = new MemoryConnector(bucket);
    await withManifest(storeOn(connector, 'a'), [manifestAsset('one')]);
    // Upload and finalization are different activities of one worker, which have different stores and share one
    // connector.
    storeOn(connector, 'a').sourceHashes.set('one', '1-1', 'cd');
    storeOn(connector, 'a').sourceHashes.set('one', '0-0', 'ef');
    await settle(storeOn(connector, 'a'), [settledAs('complete', assetOf('one'))]);
    expect(await storeOn(connector, 'a').records.find('one')).toMatchObject({ sourceSha256: 'cd' });
  });

  it.each(['recipe', 'age', 'force'] as const)(
    'finalizing keeps the hash of a file that is not uploaded again, for the reason %s',
    async (reason) => {
      const bucket = new MemoryBucket();
      const first = await withManifest(storesOver(bucket)('a'), [manifestAsset('one')]);
      first.sourceHashes.set('one', '1-1', 'cd');
      await settle(first, [settledAs('complete', assetOf('one'))]);
      const before = await first.records.find('one');
      const previous = [recordName('one', '1-1', recipe)];
      expect(before).toMatchObject({ sourceSha256: 'cd' });
      // This is another process, which has not uploaded the file.
      const connector = new MemoryConnector(bucket);
      const context = { run: 'b', lineage: 'b', pipeline: 'shoes', recipe: 'bbbbbbbb00000000' };
      const next = openRunStore(connector, context, { now: () => startMs });
      await withManifest(next, [manifestAsset('one', { reason, previous })]);
      await settle(next, [settledAs('complete', assetOf('one'))]);
      expect(await next.records.find('one')).toMatchObject({ run: 'b', sourceSha256: 'cd' });
    },
  );

  it('finalizing keeps the hash of a file that another worker uploaded, even if the asset failed at first', async () => {
    const bucket = new MemoryBucket();
    const platformIds = { modelId: 'm', sourceSha256: 'cd' };
    const { store } = await opened(bucket, ['one']);
    await settle(store, [settledAs('failed', assetOf('one', platformIds), { failure })]);
    const next = storesOver(bucket)('b');
    await withManifest(next, [manifestAsset('one', { reason: 'retry' })]);
    const { assets } = await openShard(next, 0, dead);
    const again = assets.map(({ key, source, platformIds: kept }) => ({
      key,
      source,
      platformIds: kept,
    }));
    await settle(next, [settledAs('complete', again[0] ?? assetOf('one'))]);
    expect(await next.records.find('one')).toMatchObject({
      platformIds: { modelId: 'm' },
      sourceSha256: 'cd',
    });
  });

  it('finalizing keeps the hash of the uploaded file in the record of every cell of the model', async () => {
    const bucket = new MemoryBucket();
    const store = storesOver(bucket)('a');
    const cells = ['Red', 'Blue'].map((name) => {
      const source = inCell(sourceOf('one'), 'one', colorway(name));
      return { ...assetOf(`one@${name}`), source };
    });
    await withManifest(
      store,
      cells.map(({ key, source }) => manifestAsset(key, { source })),
    );
    // The model was uploaded once, under its own key.
    store.sourceHashes.set('one', '1-1', 'cd');
    await settle(store, [settledAs('complete', cells[0] ?? assetOf('one'))]);
    await settle(store, [settledAs('complete', cells[1] ?? assetOf('one'))], 1);
    for (const { key } of cells) {
      expect(await store.records.find(key)).toMatchObject({ sourceSha256: 'cd' });
    }
  });

  it('finalizing removes the earlier records of a changed asset', async () => {
    const bucket = new MemoryBucket();
    const first = await opened(bucket, ['one']);
    await settle(first.store, [settledAs('complete', assetOf('one'))]);
    const source = sourceOf('one', '2-2');
    const previous = ['one@1-1~aaaaaaaa.json'];
    const second = await withManifest(storesOver(bucket)('b'), [
      manifestAsset('one', { source, reason: 'changed', previous }),
    ]);
    await openShard(second, 0, alive);
    await settle(second, [settledAs('complete', { ...assetOf('one'), source })]);
    const records = [...bucket.files.keys()].filter((path) => path.includes('/records/'));
    expect(records).toEqual(['.renderline/shoes/records/one@2-2~aaaaaaaa.json']);
  });

  it('finalizing writes one record, reads one claim and removes one object per asset', async () => {
    const bucket = new MemoryBucket();
    const keys = Array.from({ length: 100 }, (_, index) => `key-${index}`);
    await opened(bucket, keys);
    const counts: Record<string, number> = {};
    const connector = new MemoryConnector(bucket, async (operation) => {
      counts[operation] = (counts[operation] ?? 0) + 1;
    });
    const finalized = keys.map((key) => settledAs('complete', assetOf(key)));
    await settle(storeOn(connector, 'a'), finalized);
    // The other operations are for the manifest's index and page, and for the results page.
    expect(counts).toEqual({ read: 102, write: 101, remove: 100 });
  });
});

describe('finalizing again after a crash', () => {
  const keys = ['one', 'two', 'three'];
  const finalized = [
    settledAs('complete', assetOf('one'), { files: [file] }),
    settledAs('failed', assetOf('two', { modelId: 'm' }), { failure: { ...failure, key: 'two' } }),
    settledAs('skipped', assetOf('three')),
  ];

  /** Everything in the store, without the fields that change with every write. */
  function contentsOf(bucket: MemoryBucket) {
    const entries = [...bucket.files].map(([path, { bytes }]) => {
      const plain = path.replace(/manifest\/[0-9a-f]{12}/, 'manifest/set');
      return [
        plain,
        bytes.toString().replaceAll(/"(token|set|replaced)":("[^"]*"|\[[^\]]*\])/g, ''),
      ] as const;
    });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  async function settledOnce() {
    const bucket = new MemoryBucket();
    const { store } = await opened(bucket, keys);
    await settle(store, finalized);
    return contentsOf(bucket);
  }

  it('finalizing again has the same result, whichever operation failed before', async () => {
    const whole = await settledOnce();
    let lastOperations = 0;
    for (let diesAt = 0; ; diesAt += 1) {
      const bucket = new MemoryBucket();
      await opened(bucket, keys);
      let operations = 0;
      const dying = new MemoryConnector(bucket, async () => {
        if (operations++ === diesAt) throw new Error('killed');
      });
      const first = await settle(storeOn(dying, 'a'), finalized).catch(() => 'killed');
      await settle(storesOver(bucket)('a'), finalized);
      expect(contentsOf(bucket)).toEqual(whole);
      lastOperations = diesAt;
      if (first !== 'killed') break;
    }
    expect(lastOperations).toBeGreaterThan(10);
  });

  it('finalizing again has the same result when it is repeated', async () => {
    const whole = await settledOnce();
    const bucket = new MemoryBucket();
    const { store } = await opened(bucket, keys);
    await Promise.all([settle(store, finalized), settle(store, finalized)]);
    await settle(store, finalized);
    expect(contentsOf(bucket)).toEqual(whole);
  });
});
