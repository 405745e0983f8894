// Every creating call that nodes send: how a step reaches the call, and which resources the call has created.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { plainImage } from '../../packages/sandbox/test/_library.ts';
import { triangleGlb } from '../../packages/sandbox/test/_test-sandbox.ts';
import { defaultFieldNames } from '../../src/api/requests/field-names.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { fingerprintsOf } from '../../src/features/variants/variant-fingerprints.ts';
import type { Asset, Plan } from '../../src/plan/types.ts';
import { setSource } from '../../src/store/records/source-set.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import type { SandboxRun } from './_sandbox-run.ts';

export interface CreatingCall {
  readonly activity: string;
  /** The plan and assets with which the step sends the call. */
  readonly prepare: (at: SandboxRun) => Promise<{ plan: Plan; assets: Asset[] }>;
  /** The resources that these calls have created, sorted. */
  readonly createdIds: (at: SandboxRun, assets: readonly Asset[]) => Promise<string[]>;
}

export function filesPlan(at: SandboxRun, take: string, ...more: string[]): Plan {
  const head = `name: test
parameters: { folder: { type: path, required: true } }
connectors: { files: { type: local, path: "\${{ params.folder }}" } }
records: files
nodes:`;
  const nodes = [take, ...more].map((node) => `\n  - ${node}`).join('');
  return planOf(`${head}${nodes}`, { folder: at.folder });
}

export async function writeSource(at: SandboxRun, path: string, bytes: Uint8Array): Promise<void> {
  const file = join(at.folder, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, bytes);
}

/** The asset of a file, as discovery finds it. */
export async function fileAsset(at: SandboxRun, path: string): Promise<Asset> {
  const entry = await new LocalConnector({ type: 'local', path: at.folder }).stat(path);
  if (entry === null) throw new Error(`${path} is not there`);
  return { key: path.replace(/\.\w+$/, ''), source: sourceOf(entry), platformIds: {} };
}

/** Writes a model for each key and returns the assets. */
export async function modelFiles(at: SandboxRun, ...keys: string[]): Promise<Asset[]> {
  for (const key of keys) await writeSource(at, `${key}.glb`, triangleGlb([], key));
  return Promise.all(keys.map((key) => fileAsset(at, `${key}.glb`)));
}

export const takeModels = '{ id: take, type: connector_poll, config: { connector: files } }';
const takeShoes = takeModels.replace('files }', 'files, category: SHOES }');
const library = (kinds: string) =>
  `{ id: take, type: library_import, config: { connector: files, ${kinds} } }`;

function namesOf(items: readonly { name?: string | undefined }[]): string[] {
  const names: string[] = items.map(({ name = '' }) => name);
  return names.sort();
}

export async function modelNames({ client }: SandboxRun): Promise<string[]> {
  const { models } = await client.listModels({ query: { limit: 100 } });
  return namesOf(models);
}

const variantId = defaultFieldNames.variant.id;
const ready = '{ id: ready, type: model_ready, parentIds: [take] }';
const shots =
  '{ id: shots, type: render, parentIds: [ready], config: { settings: { renderShots: false } } }';
const colorway = `{ id: v, type: variant, parentIds: [ready], retry: { max: 2 }, config: { swapRules: [{ matchText: body, matchMode: contains, material: Oak }] } }`;
const sheets =
  '{ id: e, type: export, parentIds: [ready], config: { connector: out, what: [production_files] } }';
const renderPlan = () => planOf(withNodes(ready, shots));

async function readyAssets(at: SandboxRun, bytes?: Buffer): Promise<Asset[]> {
  return [await at.asset('a', bytes), await at.asset('b', bytes)];
}

export async function withProjects(at: SandboxRun, assets: readonly Asset[]): Promise<Asset[]> {
  const modelIds = assets.map(({ platformIds }) => platformIds.modelId ?? '');
  const { projects } = await at.client.createProjects({ body: { modelIds, createPerModel: true } });
  return assets.map((asset, index) => {
    const { projectId = '' } = projects[index] ?? {};
    return { ...asset, platformIds: { ...asset.platformIds, projectId, ownProject: true } };
  });
}

/** How often the operation was requested. */
export async function countRequests(at: SandboxRun, operation: string): Promise<number> {
  const stats = (await (await fetch(`${at.sandbox.origin}/_sandbox/stats`)).json()) as {
    requests: Record<string, number>;
  };
  return stats.requests[operation] ?? 0;
}

async function renderJobs(at: SandboxRun): Promise<number> {
  const stats = (await (await fetch(`${at.sandbox.origin}/_sandbox/stats`)).json()) as {
    created: { renderJobs: number };
  };
  return stats.created.renderJobs;
}

export const creatingCalls: Record<string, CreatingCall> = {
  createJob: {
    activity: 'connector_poll',
    prepare: async (at) => ({
      plan: filesPlan(at, takeModels),
      assets: await modelFiles(at, 'a', 'b'),
    }),
    createdIds: modelNames,
  },
  confirmJobUploads: {
    activity: 'connector_poll',
    prepare: async (at) => ({
      plan: filesPlan(at, takeModels),
      assets: await modelFiles(at, 'a', 'b'),
    }),
    createdIds: modelNames,
  },
  createModels: {
    activity: 'connector_poll',
    prepare: async (at) => ({
      plan: filesPlan(at, takeShoes),
      assets: await modelFiles(at, 'a', 'b'),
    }),
    createdIds: modelNames,
  },
  createProps: {
    activity: 'library_import',
    prepare: async (at) => ({
      plan: filesPlan(at, library('props: { include: ["*.glb"] }')),
      assets: await modelFiles(at, 'a', 'b'),
    }),
    async createdIds({ client }) {
      const { props } = await client.listProps();
      return namesOf(props);
    },
  },
  createDecals: {
    activity: 'library_import',
    async prepare(at) {
      for (const name of ['a', 'b']) await writeSource(at, `${name}.png`, await plainImage());
      const assets = await Promise.all(['a', 'b'].map((name) => fileAsset(at, `${name}.png`)));
      return { plan: filesPlan(at, library('decals: { include: ["*.png"] }')), assets };
    },
    async createdIds({ client }) {
      const { decals } = await client.listDecals();
      return namesOf(decals);
    },
  },
  createMaterial: {
    activity: 'library_import',
    async prepare(at) {
      const plan = filesPlan(at, library('materials: { include: ["*.png"] }'));
      return { plan, assets: [await materialAsset(at, 'a'), await materialAsset(at, 'b')] };
    },
    async createdIds({ client }) {
      const { materials } = await client.listMaterials();
      return namesOf(materials);
    },
  },
  createProjects: {
    activity: 'project_created',
    prepare: async (at) => ({ plan: renderPlan(), assets: await readyAssets(at) }),
    async createdIds({ client }) {
      const { projects } = await client.listProjects();
      return namesOf(projects);
    },
  },
  createRenders: {
    activity: 'render',
    prepare: async (at) => ({
      plan: renderPlan(),
      assets: await withProjects(at, await readyAssets(at)),
    }),
    createdIds: async (at) => Array.from({ length: await renderJobs(at) }, () => 'job'),
  },
  retryRenderJob: {
    activity: 'render',
    async prepare(at) {
      const [asset] = await withProjects(at, [await at.asset('a')]);
      if (asset === undefined) throw new Error('there is no asset');
      await at.control('faults', [{ render: '**', do: { failure: 'no light' } }]);
      const projectIds = [asset.platformIds.projectId ?? ''];
      const { batchId, jobs } = await at.client.createRenders({ body: { projectIds } });
      at.pass(60);
      await at.control('faults', []);
      const submittedAt = new Date(at.nowMs).toISOString();
      const failed = { jobId: jobs[0]?.jobId ?? '', batchId, submittedAt, failedJob: true };
      const platformIds = { ...asset.platformIds, ...failed };
      return { plan: renderPlan(), assets: [{ ...asset, platformIds }] };
    },
    createdIds: async (at) =>
      Array.from({ length: await countRequests(at, 'retryRenderJob') }, () => 'retry'),
  },
  exportProductionFile: {
    activity: 'production_export',
    async prepare(at) {
      const [asset] = await withProjects(at, [await at.asset('a', triangleGlb(['Red']))]);
      const one = planOf(withNodes(ready, sheets));
      if (asset === undefined) throw new Error('there is no asset');
      // All views are current, so the file is built immediately, as version 1.
      const params = { modelId: asset.platformIds.modelId ?? '' };
      const { variants } = await at.client.listModelVariants({ params });
      const variantIds = variants.map((one) => String(one[variantId]));
      await at.client.exportProductionFile({ params, body: { variantIds } });
      await at.sandbox.idle();
      at.pass(600);
      return { plan: one, assets: [asset] };
    },
    async createdIds({ client }, [asset]) {
      const params = { modelId: asset?.platformIds.modelId ?? '' };
      const { productionFiles } = await client.listProductionFiles({ params });
      return productionFiles.map(({ version }) => `v${version}`).sort();
    },
  },
  createColorwayBatch: {
    activity: 'colorway_batch',
    async prepare(at) {
      await at.material('Oak');
      const noted: Asset[] = [];
      for (const asset of await readyAssets(at)) {
        const params = { modelId: asset.platformIds.modelId ?? '' };
        const { variants } = await at.client.listModelVariants({ params });
        const before = fingerprintsOf(variants.map((one) => String(one[variantId])));
        noted.push({ ...asset, platformIds: { ...asset.platformIds, colorway: { before } } });
      }
      return { plan: planOf(withNodes(ready, colorway)), assets: noted };
    },
    async createdIds(at, assets) {
      at.pass(60);
      const names = await Promise.all(assets.map((asset) => at.variantsOf(asset)));
      return names.flat().filter((name) => name === 'Oak');
    },
  },
  retryColorwayJob: {
    activity: 'colorway_batch',
    async prepare(at) {
      const materialId = await at.material('Oak');
      const asset = await at.asset('a');
      await at.control('faults', [{ colorway: '**', times: 1, do: { failure: 'no paint' } }]);
      const modelIds = [asset.platformIds.modelId ?? ''];
      const swapRules = [{ matchText: 'body', matchMode: 'contains' as const, materialId }];
      const body = { swapRules, modelScope: { type: 'manual' as const, modelIds } };
      const { batchId } = await at.client.createColorwayBatch({ body });
      at.pass(60);
      const { jobs } = await at.client.getColorwayBatch({ params: { batchId } });
      const failed = { before: '', batchId, failedJobId: jobs[0]?.id ?? '' };
      const platformIds = { ...asset.platformIds, colorway: failed };
      return { plan: planOf(withNodes(ready, colorway)), assets: [{ ...asset, platformIds }] };
    },
    createdIds: async (at) =>
      Array.from({ length: await countRequests(at, 'retryColorwayJob') }, () => 'retry'),
  },
};

async function materialAsset(at: SandboxRun, name: string): Promise<Asset> {
  const path = `${name}_diffuse.png`;
  await writeSource(at, path, await plainImage());
  const diffuse = await new LocalConnector({ type: 'local', path: at.folder }).stat(path);
  if (diffuse === null) throw new Error(`${path} is not there`);
  return { key: name, source: setSource(path, name, { diffuse }), platformIds: {} };
}
