// Finalizing when old versions of changed files are deleted: new record, deletion, old records, in this order.
import { describe, expect, it } from 'vitest';
import type { FinalizedAsset, PlatformResource } from '../../src/plan/contract/contract.ts';
import type { PlatformIds } from '../../src/plan/platform-ids.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import type { DeleteResources } from '../../src/store/runs/old-versions.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { collect } from '../connectors/_temp-folder.ts';
import {
  alive,
  assetOf,
  dead,
  manifestAsset,
  settledAs,
  sourceOf,
  storeOn,
  storesOver,
  withManifest,
} from './_store.ts';

const old: PlatformIds = { modelId: 'm1', projectId: 'p1' };
const next: PlatformIds = { modelId: 'm2', projectId: 'p2' };
const resources: PlatformResource[] = [
  { kind: 'project', id: 'p1' },
  { kind: 'model', id: 'm1' },
];
const oldRecord = 'one@1-1~aaaaaaaa.json';

/** A run that has created version 1, and another run that has opened version 2 of the file. */
async function changed(
  bucket: MemoryBucket,
  more: { version?: string; platformIds?: PlatformIds } = {},
) {
  const first = await withManifest(storesOver(bucket)('a'), [manifestAsset('one')]);
  await openShard(first, 0, alive);
  await finalizePart(first, {
    shard: 0,
    part: 0,
    finalized: [settledAs('complete', assetOf('one', old))],
  });
  const source = sourceOf('one', more.version ?? '2-2');
  const reason = source.version === '1-1' ? 'recipe' : 'changed';
  const recipe = reason === 'recipe' ? 'bbbbbbbb00000000' : undefined;
  const store = storesOver(bucket)('b', recipe === undefined ? {} : { recipe });
  await withManifest(store, [manifestAsset('one', { source, reason, previous: [oldRecord] })]);
  await openShard(store, 0, alive);
  return { store, asset: { key: 'one', source, platformIds: more.platformIds ?? next } };
}

const recordsIn = (bucket: MemoryBucket) =>
  [...bucket.files.keys()].flatMap((path) => path.split('/records/')[1] ?? []).sort();
const claimsIn = (bucket: MemoryBucket) =>
  [...bucket.files.keys()].filter((path) => path.includes('/claims/'));

function settle(
  store: ReturnType<typeof storeOn>,
  finalized: FinalizedAsset[],
  remove: DeleteResources,
) {
  return finalizePart(store, { shard: 0, part: 0, finalized }, { deleteResources: remove });
}

/** Deletes the requested resources, and records them. */
function platform() {
  const gone: string[] = [];
  const remove: DeleteResources = async (asked) => {
    gone.push(...asked.map(({ kind, id }) => `${kind} ${id}`));
    return null;
  };
  return { gone, remove };
}

describe('a finished asset whose file has changed', () => {
  it('the old project and model are deleted before their record is removed', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    const seen: string[][] = [];
    await settle(store, [settledAs('complete', asset)], async (asked) => {
      expect(asked).toEqual(resources);
      seen.push(
        recordsIn(bucket),
        claimsIn(bucket).map(() => 'claimed'),
      );
      return null;
    });
    expect(seen).toEqual([[oldRecord, 'one@2-2~aaaaaaaa.json'], ['claimed']]);
    expect(recordsIn(bucket)).toEqual(['one@2-2~aaaaaaaa.json']);
    expect(claimsIn(bucket)).toEqual([]);
    expect(await collect(store.results.read('b'))).toMatchObject([
      { key: 'one', deleted: resources },
    ]);
  });

  it.each(['failed', 'skipped', 'cancelled'] as const)(
    'the old resources are kept if the outcome of the asset is %s',
    async (outcome) => {
      const bucket = new MemoryBucket();
      const { store, asset } = await changed(bucket);
      const { gone, remove } = platform();
      await settle(store, [settledAs(outcome, asset)], remove);
      expect(gone).toEqual([]);
      expect(recordsIn(bucket)).toEqual([oldRecord]);
    },
  );

  it('an attempt that is replaced during its deletions writes no results', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    const { gone, remove } = platform();
    const assertLease = async () => {
      if (gone.length > 0) throw new Error('another attempt continues the work');
    };
    const finalized = [settledAs('complete', asset)];
    const options = { deleteResources: remove, assertLease };
    const finalizing = finalizePart(store, { shard: 0, part: 0, finalized }, options);
    await expect(finalizing).rejects.toThrow('another attempt continues the work');
    expect(await collect(store.results.read('b'))).toEqual([]);
  });

  it('the files that could not be deleted are reported, with the deletions', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    const finalized = [settledAs('complete', asset)];
    const removeOldFiles = async () => ['one.png stays'];
    const options = { deleteResources: platform().remove, removeOldFiles };
    await finalizePart(store, { shard: 0, part: 0, finalized }, options);
    expect(await collect(store.results.read('b'))).toMatchObject([
      { key: 'one', deleted: resources, warnings: ['one.png stays'] },
    ]);
  });

  it('the old resources are kept if only the recipe has changed', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket, {
      version: '1-1',
      platformIds: { modelId: 'm1', projectId: 'p2' },
    });
    const { gone, remove } = platform();
    const reads: string[] = [];
    const connector = new MemoryConnector(bucket, async (operation, path) => {
      if (operation === 'read') reads.push(path.split('/').at(-2) ?? '');
    });
    const again = storeOn(connector, 'b', store.context);
    await settle(again, [settledAs('complete', asset)], remove);
    expect(gone).toEqual([]);
    expect(recordsIn(bucket)).toEqual(['one@1-1~bbbbbbbb.json']);
    // The record of the old version (under its recipe) and the claim to be released are read once each.
    expect(reads.filter((folder) => folder === 'records' || folder === 'claims')).toEqual([
      'records',
      'claims',
    ]);
  });

  it('the old resources are kept unless deletion is requested', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    await finalizePart(store, { shard: 0, part: 0, finalized: [settledAs('complete', asset)] });
    expect(recordsIn(bucket)).toEqual(['one@2-2~aaaaaaaa.json']);
    expect((await store.records.find('one'))?.superseded).toBeUndefined();
  });
});

/** A run of one version of the file, after the runs before it have finished. */
async function ran(
  bucket: MemoryBucket,
  run: string,
  version: string,
  end: { outcome: 'complete' | 'failed'; platformIds: PlatformIds; remove?: DeleteResources },
) {
  const asset = await opened(bucket, run, version, end.platformIds);
  const failure = { key: 'one', node: 'shots', code: 'FAILED', message: 'no', attempts: 1 };
  const finalized = settledAs(end.outcome, asset, end.outcome === 'failed' ? { failure } : {});
  const store = storesOver(bucket)(run);
  await settle(store, [finalized], end.remove ?? platform().remove);
  return collect(store.results.read(run));
}

async function opened(
  bucket: MemoryBucket,
  run: string,
  version: string,
  platformIds: PlatformIds,
) {
  const store = storesOver(bucket)(run);
  const source = sourceOf('one', version);
  const index = (await store.records.index()).get('one');
  const previous = index ? { previous: [index.name, ...index.older] } : {};
  const claimed = [...(await store.claims.names()).names()].length > 0;
  const reason = index ? 'changed' : claimed ? 'retry' : 'new';
  await withManifest(store, [manifestAsset('one', { source, reason, ...previous })]);
  const { assets } = await openShard(store, 0, dead);
  return { key: 'one', source, platformIds: { ...assets[0]?.platformIds, ...platformIds } };
}

describe('earlier versions that were never delivered', () => {
  it('earlier versions are deleted together with the delivered one', async () => {
    const bucket = new MemoryBucket();
    await ran(bucket, 'a', '1-1', { outcome: 'complete', platformIds: old });
    await ran(bucket, 'b', '2-2', { outcome: 'failed', platformIds: next });
    await ran(bucket, 'c', '3-3', { outcome: 'failed', platformIds: { modelId: 'm3' } });
    const { gone, remove } = platform();
    await ran(bucket, 'd', '4-4', { outcome: 'complete', platformIds: { modelId: 'm4' }, remove });
    expect(gone).toEqual(['project p1', 'project p2', 'model m1', 'model m2', 'model m3']);
    expect(recordsIn(bucket)).toEqual(['one@4-4~aaaaaaaa.json']);
    expect(claimsIn(bucket)).toEqual([]);
  });

  it('earlier versions are deleted even if they were never delivered', async () => {
    const bucket = new MemoryBucket();
    await ran(bucket, 'a', '1-1', { outcome: 'failed', platformIds: old });
    const { gone, remove } = platform();
    const [told] = await ran(bucket, 'b', '2-2', {
      outcome: 'complete',
      platformIds: next,
      remove,
    });
    expect(gone).toEqual(['project p1', 'model m1']);
    expect(told?.deleted).toEqual(resources);
  });

  it('earlier resources of the same version are kept, because its model is used again', async () => {
    const bucket = new MemoryBucket();
    await ran(bucket, 'a', '1-1', { outcome: 'failed', platformIds: { modelId: 'm1' } });
    const { gone, remove } = platform();
    await ran(bucket, 'b', '1-1', {
      outcome: 'complete',
      platformIds: { projectId: 'p1' },
      remove,
    });
    expect(gone).toEqual([]);
  });

  it('earlier versions are deleted by the next run if this run is ending', async () => {
    const bucket = new MemoryBucket();
    await ran(bucket, 'a', '1-1', { outcome: 'failed', platformIds: old });
    const later: DeleteResources = async (asked) => ({
      resources: asked,
      reason: 'it ended',
      isRetriedNextRun: true,
    });
    await ran(bucket, 'b', '2-2', { outcome: 'complete', platformIds: next, remove: later });
    const { gone, remove } = platform();
    await ran(bucket, 'c', '3-3', { outcome: 'complete', platformIds: { modelId: 'm3' }, remove });
    expect(gone).toEqual(['project p2', 'project p1', 'model m2', 'model m1']);
    expect(claimsIn(bucket)).toEqual([]);
  });

  it('earlier versions are all deleted, whichever operation a worker dies in', async () => {
    for (let diesAt = 0; ; diesAt += 1) {
      const bucket = new MemoryBucket();
      await ran(bucket, 'a', '1-1', { outcome: 'failed', platformIds: old });
      const finalized = [settledAs('complete', await opened(bucket, 'b', '2-2', next))];
      const { gone, remove } = platform();
      let operations = 0;
      const connector = new MemoryConnector(bucket, async () => {
        if (operations++ === diesAt) throw new Error('killed');
      });
      const first = await settle(storeOn(connector, 'b'), finalized, remove).catch(() => 'killed');
      const store = storesOver(bucket)('b');
      await settle(store, finalized, remove);
      expect(new Set(gone)).toEqual(new Set(['project p1', 'model m1']));
      expect(claimsIn(bucket)).toEqual([]);
      expect(await collect(store.results.read('b'))).toMatchObject([{ deleted: resources }]);
      if (first !== 'killed') break;
    }
  });
});

describe('resources that cannot be deleted', () => {
  it('the resources are reported in a warning with their ids, and their deletion is not retried', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    const left = {
      resources: resources.slice(1),
      reason: '403 FORBIDDEN: no',
      isRetriedNextRun: false,
    };
    await settle(store, [settledAs('complete', asset)], async () => left);
    expect(await collect(store.results.read('b'))).toMatchObject([
      {
        outcome: 'complete',
        deleted: resources.slice(0, 1),
        warnings: [
          'model m1 of the previous version of the file was not deleted: 403 FORBIDDEN: no; to find it, run `renderline clean`',
        ],
      },
    ]);
    expect(recordsIn(bucket)).toEqual(['one@2-2~aaaaaaaa.json']);
    expect(claimsIn(bucket)).toEqual([]);
  });

  it('the resources are deleted by the next run that takes the file if this run is ending', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    const left = { resources, reason: 'the run was cancelled', isRetriedNextRun: true };
    await settle(store, [settledAs('complete', asset)], async () => left);
    const [told] = await collect(store.results.read('b'));
    expect(told).not.toHaveProperty('deleted');
    expect(told?.warnings).toEqual([
      'project p1 and model m1 of the previous version of the file were not deleted, because the run was cancelled; the next run that processes the file deletes them',
    ]);
    expect(claimsIn(bucket)).toEqual([]);

    const source = sourceOf('one', '3-3');
    const index = (await store.records.index()).get('one');
    const previous = [index?.name ?? '', ...(index?.older ?? [])];
    const third = await withManifest(storesOver(bucket)('c'), [
      manifestAsset('one', { source, reason: 'changed', previous }),
    ]);
    await openShard(third, 0, dead);
    const { gone, remove } = platform();
    await settle(
      third,
      [settledAs('complete', { key: 'one', source, platformIds: { modelId: 'm3' } })],
      remove,
    );
    expect(gone.sort()).toEqual(['model m1', 'model m2', 'project p1', 'project p2']);
    expect(recordsIn(bucket)).toEqual(['one@3-3~aaaaaaaa.json']);
  });

  it('the deletion is retried by the next attempt if the reason is temporary', async () => {
    const bucket = new MemoryBucket();
    const { store, asset } = await changed(bucket);
    const finalized = [settledAs('complete', asset)];
    const passing = settle(store, finalized, async () => {
      throw new Error('503');
    });
    await expect(passing).rejects.toThrow('503');
    expect(recordsIn(bucket)).toContain(oldRecord);
    expect(claimsIn(bucket)).toHaveLength(1);
    const { gone, remove } = platform();
    await settle(storesOver(bucket)('b'), finalized, remove);
    expect(gone).toEqual(['project p1', 'model m1']);
    expect(await collect(store.results.read('b'))).toMatchObject([{ deleted: resources }]);
  });
});

describe('a worker that dies while it finalizes', () => {
  it('the worker loses nothing, whichever operation it dies in', async () => {
    let lastOperations = 0;
    for (let diesAt = 0; ; diesAt += 1) {
      const bucket = new MemoryBucket();
      const { asset } = await changed(bucket);
      const finalized = [settledAs('complete', asset)];
      const { gone, remove } = platform();
      let operations = 0;
      const step = async () => {
        if (operations++ === diesAt) throw new Error('killed');
      };
      const dying: DeleteResources = async (asked) => {
        await step();
        const answer = await remove(asked);
        await step();
        return answer;
      };
      const connector = new MemoryConnector(bucket, step);
      const first = await settle(storeOn(connector, 'b'), finalized, dying).catch(() => 'killed');
      // Resources that were not deleted are still in the records.
      if (gone.length === 0) expect(recordsIn(bucket)).toContain(oldRecord);
      const store = storesOver(bucket)('b');
      await settle(store, finalized, remove);
      expect(new Set(gone)).toEqual(new Set(['project p1', 'model m1']));
      expect(recordsIn(bucket)).toEqual(['one@2-2~aaaaaaaa.json']);
      expect(claimsIn(bucket)).toEqual([]);
      expect(await collect(store.results.read('b'))).toMatchObject([
        { deleted: resources, warnings: [] },
      ]);
      lastOperations = diesAt;
      if (first !== 'killed') break;
    }
    expect(lastOperations).toBeGreaterThan(8);
  });
});
