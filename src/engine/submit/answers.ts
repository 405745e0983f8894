// What the answer of a creating call means for each of its assets. Pure; used when the call returns,
// when an activity meets its own earlier intent, and when a run takes over the work of a dead one.
import type { ColorwayRef, Refs, SheetRef } from '../../plan/types.ts';

/** A creating call as its intent keeps it: the asset keys stand in the order of the body's items. */
export interface SentCall {
  operation: string;
  params?: Readonly<Record<string, string>>;
  bodyText: string;
  assets: readonly string[];
  /** What was known of the assets when it was sent, and is to be kept with what it made. */
  known?: Readonly<Record<string, Refs>>;
}

/** Longest text of the platform that travels with an asset. */
const textAtMost = 300;

/** Refs by asset key; assets that are missing were not created. */
export type Answers = Record<string, Refs>;

interface Created {
  jobId?: string;
  batchId?: string;
  models?: { id?: string; modelId?: string; fileName?: string; name?: string }[];
  projects?: { projectId: string; modelIds: string[] }[];
  jobs?: { jobId: string; projectId: string }[];
  warnings?: { modelId: string; message: string }[];
}

interface Exported {
  id: string | null;
  status: string;
  productionFile: { id: string; documentNumber: string; version: number } | null;
  reason: string | null;
}

/** `at` is the platform's clock when it answered, ISO 8601. */
export function readAnswer(call: SentCall, answer: unknown, at: string): Answers {
  const created = answer as Created;
  switch (call.operation) {
    case 'createJob':
      return fromJob(call, created);
    case 'createModels':
      return fromModels(call, created);
    case 'createProjects':
      return fromProjects(call, created);
    case 'createRenders':
      return fromRenders(call, created, at);
    case 'retryRenderJob':
      return fromRetry(call, created, at);
    case 'exportProductionFile':
      return fromExport(call, created);
    case 'createColorwayBatch':
      return fromColorwayBatch(call, created);
    case 'retryColorwayJob':
      return fromColorwayRetry(call);
    // What it answers is not shown; that it did is enough.
    case 'addVariantsToProject':
      return { ...call.known };
    case 'createProps':
      return fromItems(call, 'props', 'propId', answer);
    case 'createDecals':
      return fromItems(call, 'decals', 'decalId', answer);
    case 'createMaterial':
      return fromMaterial(call, answer as { materialId: string });
    default:
      return {};
  }
}

function fromJob(call: SentCall, { models = [] }: Created): Answers {
  const sent = bodyOf<{ models: { fileName: string }[] }>(call).models;
  const idOf = new Map(models.map(({ fileName, id }) => [fileName, id]));
  return collect(call.assets, (index) => {
    const modelId = idOf.get(sent[index]?.fileName ?? '');
    return modelId === undefined ? null : { modelId };
  });
}

function fromModels(call: SentCall, { models = [] }: Created): Answers {
  const sent = bodyOf<{ models: { name: string }[] }>(call).models;
  const idOf = new Map(models.map(({ name, modelId }) => [name, modelId]));
  return collect(call.assets, (index) => {
    const modelId = idOf.get(sent[index]?.name ?? '');
    return modelId === undefined ? null : { modelId };
  });
}

function fromProjects(call: SentCall, { projects = [] }: Created): Answers {
  const sent = bodyOf<{ modelIds: string[]; templateId?: string }>(call);
  const idOf = new Map(projects.map(({ projectId, modelIds }) => [modelIds[0], projectId]));
  return collect(call.assets, (index) => {
    const projectId = idOf.get(sent.modelIds[index]);
    return projectId === undefined ? null : { projectId, ownProject: true };
  });
}

function fromRenders(call: SentCall, { batchId, jobs = [] }: Created, at: string): Answers {
  const sent = bodyOf<{ projectIds: string[] }>(call).projectIds;
  const idOf = new Map(jobs.map(({ projectId, jobId }) => [projectId, jobId]));
  return collect(call.assets, (index) => {
    const jobId = idOf.get(sent[index] ?? '');
    if (jobId === undefined || batchId === undefined) return null;
    return { jobId, batchId, submittedAt: at, failedJob: false };
  });
}

function fromRetry(call: SentCall, { jobId, batchId }: Created, at: string): Answers {
  const [key] = call.assets;
  if (key === undefined || jobId === undefined || batchId === undefined) return {};
  // A retried job has outputs that the render list cannot tell from the first try's.
  return { [key]: { jobId, batchId, submittedAt: at, failedJob: false, ownProject: false } };
}

function fromExport(call: SentCall, answer: Created): Answers {
  // An export is the answer as a whole, unlike the lists of the other calls.
  const sheet = sheetOf(answer as unknown as Exported);
  return collect(call.assets, () => ({ sheet }));
}

/** What an export has come to (3.4). A state that is not known yet is waited on. */
export function sheetOf({ id, status, productionFile, reason }: Exported): SheetRef {
  if (status === 'FAILED') return { failure: (reason ?? '').slice(0, textAtMost) };
  if (productionFile !== null) {
    const { id: fileId, documentNumber, version } = productionFile;
    return { fileId, name: `${documentNumber}-v${version}` };
  }
  if (id === null || status === 'READY')
    return { failure: `the platform answered ${status} without a production file` };
  return { exportId: id };
}

function fromColorwayBatch(call: SentCall, { batchId, warnings = [] }: Created): Answers {
  const { modelIds } = bodyOf<{ modelScope: { modelIds: string[] } }>(call).modelScope;
  return collect(call.assets, (index) => {
    if (batchId === undefined) return null;
    const mine = warnings.filter(({ modelId }) => modelId === modelIds[index]);
    const warning = mine.map(({ message }) => message).join(' ');
    return {
      colorway: {
        before: colorwayOf(call, index)?.before ?? '',
        batchId,
        ...(warning === '' ? {} : { warning: warning.slice(0, textAtMost) }),
      },
    };
  });
}

function fromColorwayRetry(call: SentCall): Answers {
  return collect(call.assets, (index) => {
    const { failedJobId: _failed, ...colorway } = colorwayOf(call, index) ?? { before: '' };
    return { colorway: { ...colorway, tries: (colorway.tries ?? 0) + 1 } };
  });
}

type ItemId = 'propId' | 'decalId';
type Items = Record<string, ({ name: string } & Partial<Record<ItemId, string>>)[] | undefined>;

/** Props or decals: an item that could not be made is missing, so names tell which are there (trap 4). */
function fromItems(call: SentCall, list: string, idField: ItemId, answer: unknown): Answers {
  const sent = bodyOf<Items>(call)[list] ?? [];
  const made = (answer as Items)[list] ?? [];
  const idOf = new Map(made.map((item) => [item.name, item[idField]]));
  return collect(call.assets, (index) => {
    const id = idOf.get(sent[index]?.name ?? '');
    return id === undefined ? null : { [idField]: id };
  });
}

function fromMaterial(call: SentCall, { materialId }: { materialId: string }): Answers {
  return collect(call.assets, () => ({ materialId }));
}

/**
 * Whether an item of a call was about what the asset has now: a file that was replaced, or uploaded anew, has
 * another model.
 */
export function isAbout(call: SentCall, index: number, refs: Refs): boolean {
  switch (call.operation) {
    case 'createProjects':
      return bodyOf<{ modelIds: string[] }>(call).modelIds[index] === refs.modelId;
    case 'createRenders':
      return bodyOf<{ projectIds: string[] }>(call).projectIds[index] === refs.projectId;
    case 'createColorwayBatch': {
      const { modelScope } = bodyOf<{ modelScope: { modelIds: string[] } }>(call);
      return modelScope.modelIds[index] === refs.modelId;
    }
    case 'exportProductionFile':
      return call.params?.['modelId'] === refs.modelId;
    case 'addVariantsToProject':
      return call.params?.['projectId'] === refs.projectId;
    default:
      return true;
  }
}

function colorwayOf({ assets, known }: SentCall, index: number): ColorwayRef | undefined {
  return known?.[assets[index] ?? '']?.colorway;
}

export function bodyOf<Body>(call: SentCall): Body {
  return JSON.parse(call.bodyText) as Body;
}

export function collect(
  assets: readonly string[],
  refsOf: (index: number) => Refs | null,
): Answers {
  const answers: Answers = {};
  assets.forEach((key, index) => {
    const refs = refsOf(index);
    if (refs) answers[key] = refs;
  });
  return answers;
}
