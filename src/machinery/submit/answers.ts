// What the answer of a creating call means for each of its assets. Pure; used when the call returns,
// when an activity meets its own earlier intent, and when a run takes over the work of a dead one.
import type { OutputOf } from '../../api/operation.ts';
import type { OperationId, Operations } from '../../api/operations/index.ts';
import { plainText } from '../../api/plain-text.ts';
import type { Asset, ColorwayRef, Refs, SheetRef } from '../../plan/types.ts';
import { isBuiltOf } from '../../store/records/source-version.ts';

/** A creating call as its intent keeps it: the asset keys stand in the order of the body's items. */
export interface SentCall {
  operation: string;
  params?: Readonly<Record<string, string>>;
  bodyText: string;
  assets: readonly string[];
  versions?: readonly string[];
  isInherited?: boolean;
  /** What was known of the assets when it was sent, and is to be kept with what it made. */
  known?: Readonly<Record<string, Refs>>;
}

/** Longest text of the platform that travels with an asset. */
const textAtMost = 300;

/** Refs by asset key; assets that are missing were not created. */
export type Answers = Record<string, Refs>;

/** What the platform answers an operation, as far as callers need it. */
export type AnswerTo<Id extends OperationId> = OutputOf<Operations[Id]>;

type Exported = AnswerTo<'getProductionFileExport'>;

/** `at` is the platform's clock when it answered, ISO 8601. */
type Reading<Id extends OperationId> = (
  call: SentCall,
  answer: AnswerTo<Id>,
  at: string,
) => Answers;

const readings: { readonly [Id in OperationId]?: Reading<Id> } = {
  createJob(call, { models }) {
    const sent = bodyOf<{ models: { fileName: string }[] }>(call).models;
    const idOf = new Map(models.map(({ fileName, id }) => [fileName, id]));
    return collect(call.assets, (index) => {
      const modelId = idOf.get(sent[index]?.fileName ?? '');
      return modelId === undefined ? null : { modelId };
    });
  },
  createModels(call, { models }) {
    return fromItems(call, 'models', 'modelId', models);
  },
  createProjects(call, { projects }) {
    const sent = bodyOf<{ modelIds: string[]; templateId?: string }>(call);
    const idOf = new Map(projects.map(({ projectId, modelIds }) => [modelIds[0], projectId]));
    return collect(call.assets, (index) => {
      const projectId = idOf.get(sent.modelIds[index]);
      return projectId === undefined ? null : { projectId, ownProject: true };
    });
  },
  createRenders(call, { batchId, jobs }, at) {
    const sent = bodyOf<{ projectIds: string[] }>(call).projectIds;
    const idOf = new Map(jobs.map(({ projectId, jobId }) => [projectId, jobId]));
    return collect(call.assets, (index) => {
      const jobId = idOf.get(sent[index] ?? '');
      return jobId === undefined ? null : { jobId, batchId, submittedAt: at, failedJob: false };
    });
  },
  retryRenderJob(call, { jobId, batchId }, at) {
    // A retried job has outputs that the render list cannot tell from the first try's.
    const job = { jobId, batchId, submittedAt: at, failedJob: false, ownProject: false };
    return collect(call.assets, () => job);
  },
  exportProductionFile(call, answer) {
    const sheet = sheetOf(answer);
    return collect(call.assets, () => ({ sheet }));
  },
  createColorwayBatch(call, { batchId, warnings = [] }) {
    const { modelIds } = bodyOf<{ modelScope: { modelIds: string[] } }>(call).modelScope;
    return collect(call.assets, (index) => {
      const mine = warnings.filter(({ modelId }) => modelId === modelIds[index]);
      const warning = mine.flatMap(({ message }) => message ?? []).join(' ');
      return {
        colorway: {
          before: colorwayOf(call, index)?.before ?? '',
          batchId,
          ...(warning === '' ? {} : { warning: plainText(warning, textAtMost) }),
        },
      };
    });
  },
  retryColorwayJob(call) {
    return collect(call.assets, (index) => {
      const { failedJobId: _failed, ...colorway } = colorwayOf(call, index) ?? { before: '' };
      return { colorway: { ...colorway, tries: (colorway.tries ?? 0) + 1 } };
    });
  },
  // What it answers is not shown; that it did is enough.
  addVariantsToProject: (call) => ({ ...call.known }),
  createProps: (call, { props }) => fromItems(call, 'props', 'propId', props),
  createDecals: (call, { decals }) => fromItems(call, 'decals', 'decalId', decals),
  createMaterial: (call, { materialId }) => collect(call.assets, () => ({ materialId })),
};

/** What the answer of a call makes of each asset; nothing where the operation creates nothing. */
export function readAnswer<Id extends OperationId>(
  operation: Id,
  call: SentCall,
  answer: AnswerTo<Id>,
  at: string,
): Answers {
  const reading: Reading<Id> | undefined = readings[operation];
  return reading?.(call, answer, at) ?? {};
}

/** What an export has come to (3.4). A state that is not known yet is waited on. */
export function sheetOf({ id, status, productionFile, reason }: Exported): SheetRef {
  if (status === 'FAILED') return { failure: plainText(reason ?? '', textAtMost) };
  if (status === 'READY' && productionFile) {
    const { id: fileId, documentNumber = fileId, version = 1 } = productionFile;
    return { fileId, name: `${plainText(documentNumber, textAtMost)}-v${version}` };
  }
  if (id === null || status === 'READY') {
    const said = plainText(status, textAtMost);
    return { failure: `the platform answered ${said} without a production file` };
  }
  return { exportId: id };
}

type ItemId = 'modelId' | 'propId' | 'decalId';
type Item<Id extends ItemId> = { name: string } & Record<Id, string>;

/** One that could not be made is missing, so names tell which are there (trap 4). */
function fromItems<Id extends ItemId>(
  call: SentCall,
  list: string,
  idField: Id,
  made: readonly Item<Id>[],
): Answers {
  const sent = bodyOf<Record<string, { name: string }[] | undefined>>(call)[list] ?? [];
  const idOf = new Map(made.map((item) => [item.name, item[idField]]));
  return collect(call.assets, (index) => {
    const id = idOf.get(sent[index]?.name ?? '');
    return id === undefined ? null : { [idField]: id };
  });
}

/**
 * Whether an item of a call was about what the asset has now: a file that was replaced, or uploaded anew, has
 * another model; one whose upload came to its end needs another record.
 */
export function isAbout(call: SentCall, index: number, { source, refs }: Asset): boolean {
  const { versions, isInherited } = call;
  if (versions !== undefined && isInherited && !refs.begun) return false;
  if (versions !== undefined && !isBuiltOf(versions[index] ?? '', source.version)) return false;
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
