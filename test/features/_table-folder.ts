// A folder of models with a table that lists them, and runs over it.
import { createHash } from 'node:crypto';
import { dropRowsOfRun } from '../../src/engine/rows/open-rows.ts';
import { openDiscoverySource } from '../../src/features/discovery-source.ts';
import type { Plan } from '../../src/plan/types.ts';
import { discoverPage, previewDiscovery } from '../../src/store/discovery/discover-run.ts';
import { RerunSelection } from '../../src/store/discovery/rerun-selection.ts';
import { finalizePart } from '../../src/store/runs/finalize-part.ts';
import { openShard } from '../../src/store/runs/open-shard.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { MemoryBucket, MemoryConnector } from '../connectors/_memory-connector.ts';
import { alive, settledAs, startMs, storeOn } from '../store/_store.ts';
import { fileOf } from './_withdrawal.ts';

const longAgoMs = startMs - 3_600_000;

interface Wish {
  key?: string;
  nodes?: string[];
  more?: string;
  exporting?: string;
}

/** A folder with files and a table of them, as a pipeline sees it. */
export function tableFolder(
  lines: readonly string[],
  files: readonly string[],
  { key = 'SKU', nodes = [], more = '', exporting = '' }: Wish = {},
) {
  const bucket = new MemoryBucket();
  const connector = new MemoryConnector(bucket);
  const put = (path: string, content: string, mtimeMs = longAgoMs) =>
    bucket.files.set(path, { bytes: Buffer.from(content), mtimeMs });
  const writeTable = (rows: readonly string[], heading = 'SKU,File,Colour') =>
    put('products.csv', `${[heading, ...rows].join('\n')}\n`);
  writeTable(lines);
  for (const path of files) put(path, path);
  const text = withNodes(
    '{ id: ready, type: model_ready, parentIds: [take] }',
    ...nodes,
    `{ id: shots, type: render, parentIds: [${nodes.length > 0 ? 'grid' : 'ready'}], config: { settings: {} } }`,
    `{ id: deliver, type: export, parentIds: [shots], config: { connector: out, naming: "{{ key }}_{{ row.colour }}.{{ ext }}"${exporting} } }`,
  )
    .replace(
      'records: out',
      `data: { products: { connector: models, path: products.csv, key: ${key} } }`,
    )
    .replace(
      'connector: models } }',
      `connector: models, list: { table: products, file: File }${more} } }`,
    );
  const plan: Plan = planOf(text);
  const sourceWith = (again: RerunSelection | null = null, only?: string[], pagesOf?: string) =>
    openDiscoverySource(plan, {
      open: () => connector,
      ids: null,
      mayWrite: false,
      rerunSelection: again,
      ...(only && { selection: { only } }),
      client: () => {
        throw new Error('files need no platform');
      },
      requests: null as never,
      now: () => startMs,
      pagesOf,
      signal: new AbortController().signal,
    });
  const storeOf = (run: string) => storeOn(connector, run);
  const [delivery = 'none'] = Object.keys(plan.withdrawn?.exports ?? {});
  const preview = async (only?: string[], again: RerunSelection | null = null) => {
    const source = await sourceWith(again, only);
    const found = await previewDiscovery(storeOf('later'), source);
    return { ...found, warnings: source.rows?.unusedWarnings('take') ?? [] };
  };
  /** A run that delivers all assets except those with these keys, in discovery pages of two rows. */
  async function run(name: string, failing: readonly string[] = []) {
    const store = storeOf(name);
    let pages = 0;
    let page: number | undefined = 0;
    let discoveryPages = 0;
    while (page !== undefined) {
      const source = await sourceWith(null, undefined, name);
      const limits = { names: 2 };
      const found = await discoverPage(
        store,
        { ...source, parameters: {}, shardSize: 2 },
        page,
        limits,
      );
      ({ pages, nextDiscoveryPage: page } = { nextDiscoveryPage: undefined, ...found });
      discoveryPages += 1;
    }
    dropRowsOfRun(name);
    const keys: string[] = [];
    for (let shard = 0; shard < pages; shard += 1) {
      const { assets } = await openShard(store, shard, alive);
      keys.push(...assets.map((asset) => asset.key));
      for (const { key: of, source } of assets) {
        const content = bucket.files.get(source.path)?.bytes ?? '';
        const sha256 = createHash('sha256').update(content).digest('hex');
        store.sourceHashes.set(of, source.version, sha256);
      }
      const finalized = assets.map((asset) =>
        failing.includes(asset.key)
          ? settledAs('failed', asset)
          : settledAs('complete', asset, {
              files: [{ ...fileOf(`${asset.key}.png`, asset.key), key: asset.key, delivery }],
            }),
      );
      await finalizePart(store, { shard, part: 0, finalized });
    }
    const discovery = await store.runAssets.readDiscovery();
    return { keys, discoveryPages, discovery };
  }
  return { bucket, connector, put, writeTable, preview, run, storeOf, plan };
}

type Found = Awaited<ReturnType<ReturnType<typeof tableFolder>['preview']>>;

/** The file of each asset. */
export const filesOf = ({ assets }: Found) =>
  Object.fromEntries(assets.map(({ key, source }) => [key, source.path]));
/** The refused sources, each with its code and message. */
export const refusalsOf = ({ refused }: Found) =>
  refused.map(
    ({ key, code, message }) => `${key} ${code}: ${message.replace(/^.*?column/, 'column')}`,
  );
