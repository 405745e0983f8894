// What a plan will cost for so many assets: requests by operation, windows, time. Pure.

import { kindOf, type LibraryKind } from '../../capabilities/library/library-kinds.ts';
import { groupBy } from '../../plan/group-by.ts';
import { addRequests } from '../../plan/totals.ts';
import type { Json, Plan, Step, StepActivityName, SwapRule } from '../../plan/types.ts';
import { modelKeyOf, viewedKeyOf } from '../../store/records/asset-names.ts';
import { type FoundWork, isMade } from './found-work.ts';

export interface Estimate {
  requests: { total: number; byOperation: Record<string, number> };
  /** Rate-limit windows of 60 s that the requests need; null when the allowance is not known. */
  windows: number | null;
  /** Render jobs and captures, which cost the same (4.13): one an asset and step; of several variants more. */
  renders: number;
  /** Old versions of changed files that are deleted on the platform, each once its new one is complete. */
  deletes: number;
  /** Expected duration; what the platform itself takes is a guess. */
  seconds: number;
}

type Requests = Record<string, number>;

// What the platform takes as a rule. A look a second watches it, a hundred ids a request.
const modelSeconds = 5;
const colorwaySeconds = 6;
const renderSeconds = 8;
const captureSeconds = 120;
const captureLooks = 6;
// Materials take one to two minutes (3.4), looked at every five seconds.
const librarySeconds = 90;
const materialLooks = 18;
const propLooks = 2;
/** Own work on one asset: upload, download, checks. */
const transferSeconds = 0.02;

/** How many of the assets become items of the library, by kind. */
type Items = Readonly<Record<LibraryKind, number>>;

/** What a step's requests depend on beside its own assets. */
interface Around {
  plan: Plan;
  items: Items;
  /** Batches of renders, and of colorways. */
  batches: number;
  colorways: number;
}

type RequestsOf = (assets: number, step: Step, around: Around) => Requests;

const requestsOf: Record<StepActivityName, RequestsOf> = {
  connector_poll: uploads,
  model_ready: (assets) => ({ checkModelStatus: modelSeconds * Math.ceil(assets / 100) }),
  template_match: () => ({ listTemplates: 1 }),
  variants_before: (assets) => ({ listModelVariants: assets }),
  colorway_batch: (assets, step) => ({ createColorwayBatch: Math.ceil(assets / step.batch) }),
  colorway_complete: (_assets, _step, { colorways }) => ({
    getColorwayBatch: colorwaySeconds * colorways,
  }),
  variant: (assets) => ({ listModelVariants: assets }),
  colorway_variant: (assets) => ({ listModelVariants: assets }),
  project_variants: (assets) => ({ addVariantsToProject: assets }),
  project_created: projects,
  render: (assets, step) => ({ createRenders: Math.ceil(assets / step.batch) }),
  render_complete: rendersWatched,
  production_export: (assets, _step, { plan }) => ({
    exportProductionFile: assets,
    ...(choosesVariants(plan) ? {} : { listModelVariants: assets }),
  }),
  // Some looks at each while it captures, and one for the link of its file.
  production_complete: (assets) => ({
    getProductionFileExport: captureLooks * assets,
    listProductionFiles: assets,
  }),
  set_properties: (assets, step) => ({
    listProperties: 1,
    setAssetProperties: Math.ceil(assets / step.batch),
  }),
  library_import: (_assets, step, { items }) => imports(items, step),
  library_complete: (_assets, _step, { items }) => looksAtLibrary(items),
  // What receivers are told is no request of the API.
  notify: () => ({}),
  // Addresses of production files were asked for above; those of renders come with the list.
  export: (assets, step) => (rendersOf(step) ? { listRenders: Math.ceil(assets / 100) } : {}),
};

/** A search for each name, and a look at all materials together, once a run. */
function materials({ config }: Step, { assets }: FoundWork): Requests {
  const given = fieldOf({ config }, 'swapRules');
  const rules = [
    ...(Array.isArray(given) ? (given as unknown as SwapRule[]) : []),
    ...assets.flatMap(({ source }) => source.colorway?.rules ?? []),
  ];
  const names = new Set(rules.flatMap(({ material }) => material ?? []));
  const ids = new Set(rules.flatMap(({ materialId }) => materialId ?? []));
  return {
    ...(names.size > 0 ? { listMaterials: names.size } : {}),
    checkMaterialStatus: Math.ceil((names.size + ids.size) / 100),
  };
}

const secondsOf: Partial<Record<StepActivityName, number>> = {
  model_ready: modelSeconds,
  colorway_complete: colorwaySeconds,
  render_complete: renderSeconds,
  production_complete: captureSeconds,
  library_complete: librarySeconds,
};

/** Whether an export delivers renders, as it does unless told otherwise. */
function rendersOf(step: Step): boolean {
  const what = fieldOf(step, 'what');
  return !Array.isArray(what) || what.includes('renders');
}

const drawing: ReadonlySet<StepActivityName> = new Set(['render', 'production_export']);

function choosesVariants({ steps }: Plan): boolean {
  return steps.some(({ activity }) => activity === 'variant' || activity === 'colorway_variant');
}

/** A root finds its projects made. */
function projects(assets: number, step: Step): Requests {
  return step.parents.length === 0 ? {} : { createProjects: Math.ceil(assets / step.batch) };
}

/** One look a second serves everybody; each batch is read when it has moved. A root finds its renders finished. */
function rendersWatched(_assets: number, step: Step, { batches }: Around): Requests {
  if (step.parents.length === 0) return {};
  // Of each batch one job is asked for itself: it tells how many outputs the others have.
  return { listRenders: renderSeconds, getRenderBatch: 2 * batches, getRenderJob: batches };
}

/** 50 files share a job of two requests, unless they carry a category, which jobs cannot. */
function uploads(assets: number, step: Step): Requests {
  const groups = Math.ceil(assets / step.batch);
  if (fieldOf(step, 'category')) return { createModels: groups, confirmModel: assets };
  return { createJob: groups, confirmJobUploads: groups };
}

function imports({ prop, decal, material }: Items, step: Step): Requests {
  const requests = {
    createProps: Math.ceil(prop / step.batch),
    confirmProp: prop,
    createDecals: Math.ceil(decal / step.batch),
    confirmDecal: decal,
    createMaterial: material,
    confirmMaterial: material,
  };
  return Object.fromEntries(Object.entries(requests).filter(([, count]) => count > 0));
}

/** Decals are ready once they are confirmed. */
function looksAtLibrary({ prop, material }: Items): Requests {
  return {
    ...(prop > 0 ? { checkPropStatus: propLooks * Math.ceil(prop / 100) } : {}),
    ...(material > 0 ? { checkMaterialStatus: materialLooks * Math.ceil(material / 100) } : {}),
  };
}

/** As what `library_import` takes each; of other plans it means nothing. */
function itemsOf(assets: FoundWork['assets']): Items {
  const items = { prop: 0, decal: 0, material: 0 };
  for (const { source } of assets) items[kindOf(source)] += 1;
  return items;
}

/** The old model of a changed file with its project, or its old item of the library. */
function deletions(changed: FoundWork['assets'], { steps }: Plan): Requests {
  const count = changed.length;
  const makes = (activity: StepActivityName) => steps.some((step) => step.activity === activity);
  if (count === 0) return {};
  if (!makes('library_import')) {
    return { ...(makes('project_created') ? { deleteProject: count } : {}), deleteModel: count };
  }
  const { prop, decal, material } = itemsOf(changed);
  const requests = { deleteProp: prop, deleteDecal: decal, deleteMaterial: material };
  return Object.fromEntries(Object.entries(requests).filter(([, number]) => number > 0));
}

function isChanged({ reason }: FoundWork['assets'][number]): boolean {
  return reason === 'changed';
}

function fieldOf({ config }: Pick<Step, 'config'>, name: string): Json | undefined {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return undefined;
  return config[name];
}

/** Steps that send a request for so many assets at once. */
const inCalls: ReadonlySet<StepActivityName> = new Set([
  'colorway_batch',
  'project_created',
  'render',
]);

/** The cells of a colorway grid, as calls share them. */
interface Cells {
  models: number;
  /** Models in their colorways, each with all of its views. */
  viewed: number;
  /** Of each shard, how many models it has in each colorway. */
  byColorway: number[];
  /** Of each shard, how many assets it has in each view of each colorway. */
  byView: number[];
}

/** null where assets are no cells. */
function cellsOf({ shardSize, steps }: Plan, { assets }: FoundWork): Cells | null {
  if (steps.every(({ cells }) => cells === undefined)) return null;
  const models = groupBy(assets, ({ source }) => modelKeyOf({ key: source.path, source }));
  const shards: Found[][] = [];
  let room = 0;
  for (const cells of models.values()) {
    if (cells.length > room) {
      shards.push([]);
      room = Math.max(shardSize, cells.length);
    }
    room -= cells.length;
    shards.at(-1)?.push(...cells);
  }
  const viewed = shards.map((shard) => [
    ...new Map(shard.map((one) => [viewedKeyOf({ ...one, key: one.source.path }), one])).values(),
  ]);
  return {
    models: models.size,
    viewed: viewed.reduce((sum, shard) => sum + shard.length, 0),
    byColorway: viewed.flatMap((shard) => countsBy(shard, colorwayOf)),
    byView: shards.flatMap((shard) =>
      countsBy(shard, (asset) => `${asset.source.view?.name ?? ''}@${colorwayOf(asset)}`),
    ),
  };
}

type Found = FoundWork['assets'][number];

function colorwayOf({ source }: Found): string {
  return source.colorway?.name ?? '';
}

function countsBy(assets: readonly Found[], nameOf: (asset: Found) => string): number[] {
  return [...groupBy(assets, nameOf).values()].map((some) => some.length);
}

/** How many assets a step does together: of a grid a model once, or each colorway of a shard by itself. */
function callsOf({ cells, activity, allViews }: Step, all: number, grid: Cells | null): number[] {
  if (grid === null || cells === undefined) return [all];
  if (cells !== 'colorway') return [grid.models];
  if (!inCalls.has(activity)) return [allViews ? grid.viewed : all];
  return allViews ? grid.byColorway : grid.byView;
}

/** Requests that a step sends, each for a batch. */
function batchesOf(
  name: StepActivityName,
  { steps }: Plan,
  all: number,
  grid: Cells | null,
): number {
  const step = steps.find(({ activity }) => activity === name);
  if (step === undefined) return 0;
  return callsOf(step, all, grid).reduce((sum, count) => sum + Math.ceil(count / step.batch), 0);
}

export function estimate(plan: Plan, found: FoundWork, rateLimit: number | null): Estimate {
  const assets = found.assets.length;
  const items = itemsOf(found.assets);
  const drawn = found.assets.filter(isMade).length;
  const byOperation: Requests = { ...found.requests };
  const superseded = plan.supersede === undefined ? [] : found.assets.filter(isChanged);
  let processing = 0;
  const grid = cellsOf(plan, found);
  const around = {
    plan,
    items,
    batches: batchesOf('render', plan, assets, grid),
    colorways: batchesOf('colorway_batch', plan, assets, grid),
  };
  for (const step of assets === 0 ? [] : plan.steps) {
    for (const count of callsOf(step, assets, grid)) {
      addRequests(byOperation, requestsOf[step.activity](count, step, around));
    }
    if (step.activity === 'colorway_batch') addRequests(byOperation, materials(step, found));
    processing += secondsOf[step.activity] ?? 0;
  }
  addRequests(byOperation, deletions(superseded, plan));
  const total = Object.values(byOperation).reduce((sum, count) => sum + count, 0);
  const windows = rateLimit === null ? null : Math.ceil(total / rateLimit);
  const limited = ((windows ?? 1) - 1) * 60;
  return {
    requests: { total, byOperation },
    windows,
    deletes: superseded.length,
    renders: drawn * plan.steps.filter(({ activity }) => drawing.has(activity)).length,
    seconds: assets === 0 ? 0 : Math.ceil(Math.max(processing + assets * transferSeconds, limited)),
  };
}
