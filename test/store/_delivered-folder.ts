// A folder of delivered files with records in a bucket, for tests of moved files.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Connector } from '../../src/connectors/connector.ts';
import type { Asset, DeliveredFile } from '../../src/plan/types.ts';
import {
  type DiscoverySource,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';
import { modelKeyOf } from '../../src/store/records/cell-keys.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import type { RunStore } from '../../src/store/runs/run-store.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { noStages } from '../plan/_steps.ts';
import { modelsFolder } from './_models-folder.ts';
import { dead, recipe, settledAs, storeOn } from './_store.ts';

export const fileOf = (key: string, was?: string): DeliveredFile => {
  const size = { bytes: 1, width: 1, height: 1 };
  const path = `${key}.png`;
  const file = { key, path, ...size, sha256: 'f', output: 'o', delivery: 'd' };
  return was === undefined ? file : { ...file, previousPath: was };
};

/** A folder delivered by the run `first`. Each file has its own model, project and render. */
export async function createDeliveredFolder(
  files: Record<string, string>,
  identity: 'path' | 'content' = 'content',
  grid: Grid | null = null,
) {
  const models = await modelsFolder(files);
  const { folder, connector } = models;
  const bucket = new MemoryBucket();
  const reads: string[] = [];
  /** Former names of deleted files. */
  const tidied: string[] = [];
  const removeOldFiles = async ({ files: some }: { files: DeliveredFile[] }) => {
    tidied.push(...some.flatMap(({ previousPath: was }) => was ?? []));
    return [];
  };
  const { lister } = models.source;
  const source: DiscoverySource = {
    ...models.source,
    identity,
    grid,
    lister: {
      ...lister,
      hash: async (one, signal) => {
        reads.push(one.path);
        return (await lister.hash?.(one, signal)) ?? '';
      },
    },
  };
  const runOptions = { parameters: {}, shardSize: 100 };
  const storeOf = (run: string, more: { recipe?: string; on?: Connector } = {}) =>
    storeOn(more.on ?? new MemoryConnector(bucket), run, { recipe: more.recipe ?? recipe });

  async function noteHash(store: RunStore, key: string, version: string, path: string) {
    const bytes = await readFile(join(folder, path));
    store.sourceHashes.set(key, version, createHash('sha256').update(bytes).digest('hex'));
  }

  /** Opens and finalizes the assets of a run. @returns the assets with what they can reuse */
  async function work(store: RunStore, finishes: (asset: Asset) => boolean = () => true) {
    const { assets, taken } = await openShard(store, 0, dead);
    const page = await store.runAssets.page(0);
    for (const asset of assets) {
      await noteHash(store, modelKeyOf(asset), asset.source.version, asset.source.path);
    }
    const finalized = assets.filter(finishes).map((asset) => {
      const { moved } = page.find(({ key }) => key === asset.key) ?? {};
      const { key, platformIds } = asset;
      const made = { modelId: `m-${key}`, projectId: `p-${key}`, jobId: `j-${key}` };
      const outputs = [{ id: `o-${key}`, name: key, fileType: 'PNG', isVideo: false }];
      const done = { batchId: '', ...made, outputs: outputs as never[], ...platformIds };
      const files = [fileOf(key, moved && `${moved.key}.png`)];
      return settledAs('complete', { ...asset, platformIds: done }, { files });
    });
    await finalizePart(store, { shard: 0, part: 0, finalized }, { removeOldFiles });
    return { assets, taken };
  }

  /** @param finishes true for the assets that the run finishes before it dies */
  async function run(
    name: string,
    {
      finishes,
      selector,
      ...more
    }: Parameters<typeof storeOf>[1] &
      Pick<DiscoverySource, 'selector'> & { finishes?: Parameters<typeof work>[1] } = {},
  ) {
    const store = storeOf(name, more);
    const stages = { ...noStages, source: store.context.recipe };
    const options = { ...runOptions, removeOldFiles, ...(selector && { selector }) };
    const found = await discoverRun(store, { ...source, stages, ...options });
    const isEmpty = found.pages === 0;
    const { assets, taken } = isEmpty ? { assets: [], taken: [] } : await work(store, finishes);
    return { store, found, assets, taken };
  }

  await run('first');
  reads.length = 0;
  return {
    folder,
    bucket,
    connector,
    source,
    runOptions,
    reads,
    storeOf,
    work,
    run,
    preview: (more = {}) => previewDiscovery(storeOf('later', more), source),
    tidied,
    move: async (from: string, to: string) => {
      await mkdir(dirname(join(folder, to)), { recursive: true });
      await untilNextMillisecond(`${folder}.clock`);
      await rename(join(folder, from), join(folder, to));
    },
    copy: async (from: string, to: string) => {
      await mkdir(dirname(join(folder, to)), { recursive: true });
      await copyFile(join(folder, from), join(folder, to));
    },
    /** Recorded model id by key. */
    models: async () => {
      const found: Record<string, string | undefined> = {};
      for await (const { key, record } of storeOf('x').records.all()) {
        found[record?.key ?? key] = record?.platformIds.modelId;
      }
      return found;
    },
  };
}

/** Change times are compared in milliseconds, and a test may deliver and move files within one millisecond. */
async function untilNextMillisecond(clock: string): Promise<void> {
  const now = async () => {
    await writeFile(clock, '');
    return Math.floor((await stat(clock)).ctimeMs);
  };
  const begun = await now();
  while ((await now()) === begun);
  await rm(clock);
}

export type DeliveredFolder = Awaited<ReturnType<typeof createDeliveredFolder>>;

export const three = { 'kitchen/mug.glb': 'mug!', 'kitchen/cup.glb': 'cup!', 'bowl.glb': 'bowl' };
