// A folder of models that tests discover and deliver.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LocalConnector } from '../../src/connectors/local.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import {
  type DiscoverySource,
  discoverRun,
  previewDiscovery,
} from '../../src/store/discovery/discover-run.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';
import { createFileLister, type FileListerInput } from '../../src/store/discovery/list-files.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { putFile, tempFolder } from '../connectors/_temp-folder.ts';
import { noStages } from '../plan/_steps.ts';
import { alive, settledAs, startMs, storeOn } from './_store.ts';

/** Two exports, whose files tests mark as `d` and `e`. */
const delivering = {
  ...noStages,
  deliveries: {
    deliver: { fingerprint: 'd', connector: 'out' },
    sell: { fingerprint: 'e', connector: 'market' },
  },
};

export const longAgoMs = startMs - 3_600_000;

/** A folder of models that also contains the records, as for pipelines without an export. */
export async function modelsFolder(files: Record<string, string> = {}) {
  const folder = await tempFolder();
  for (const [path, content] of Object.entries(files)) {
    await putFile(folder, path, content, longAgoMs);
  }
  const connector = new LocalConnector({ type: 'local', path: folder });
  const listing: FileListerInput = {
    connector,
    config: { include: ['**/*.{glb,gltf,fbx,obj,usdz}'], exclude: [], stableForMs: 1_000 },
    node: 'take',
    now: () => startMs,
    wait: async () => undefined,
  };
  const sourceWith = (more: Partial<FileListerInput>): DiscoverySource => ({
    lister: createFileLister({ ...listing, ...more }),
    node: 'take',
    keyOf: null,
    stages: delivering,
    getConnector: () => connector,
    location: 'here',
  });
  const source = sourceWith({});
  const storeOf = (run: string, recipe?: string) =>
    storeOn(connector, run, recipe === undefined ? {} : { recipe });
  const preview = async (run = 'later', recipe?: string) =>
    previewDiscovery(storeOf(run, recipe), source);

  /** A complete run that delivers everything and records content hashes as an upload does. */
  async function deliver(
    run: string,
    {
      hash = '',
      recipe,
      made = () => ({}),
      grid = null,
    }: {
      hash?: string;
      recipe?: string;
      made?: (key: string) => Partial<FinalizedAsset>;
      grid?: Grid | null;
    } = {},
  ) {
    const store = storeOf(run, recipe);
    const { pages } = await discoverRun(store, { ...source, grid, parameters: {}, shardSize: 2 });
    for (let shard = 0; shard < pages; shard += 1) {
      const { assets } = await openShard(store, shard, alive);
      for (const { key, source: file } of assets) {
        if (hash !== '') store.sourceHashes.set(key, file.version, hash);
      }
      const finalized = assets.map((asset) => settledAs('complete', asset, made(asset.key)));
      await finalizePart(store, { shard, part: 0, finalized });
    }
  }
  return { folder, connector, listing, source, sourceWith, storeOf, preview, deliver };
}

export const reasons = (found: Awaited<ReturnType<typeof previewDiscovery>>) =>
  Object.fromEntries(found.assets.map(({ key, reason }) => [key, reason]));

/** Replaces the content and keeps the modification time. Waits until the file system's change time differs. */
export async function overwrite(folder: string, path: string, content: string): Promise<void> {
  const before = await stat(join(folder, path));
  for (;;) {
    await putFile(folder, path, content, before.mtimeMs);
    const after = await stat(join(folder, path));
    if (Math.trunc(after.ctimeMs) > Math.trunc(before.ctimeMs)) return;
  }
}
