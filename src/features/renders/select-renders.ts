// Lists renders as assets: render jobs by id, or finished outputs by id, project, name and kind.
import { z } from 'zod';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import { ResponseShapeError } from '../../api/errors/errors.ts';
import type { RenderAsset } from '../../api/operations/renders.ts';
import {
  filterCreatedSince,
  type ListDeps,
  listOptions,
  listWithRetry,
} from '../../engine/discovery/list-deps.ts';
import { nameMatcher } from '../../engine/discovery/name-match.ts';
import {
  missingFailure,
  objectFailure,
  toCreationTime,
  toUnkeyedObject,
  unreadableFailure,
} from '../../engine/discovery/platform-objects.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';
import { ids, nameGlob } from '../../engine/discovery/selection-fields.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { readOrUnreadable } from '../../engine/unreadable-response.ts';
import { failSource } from '../../failures/fail.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { Failure } from '../../plan/types.ts';
import type { ListedSource, ListedSources, Lister } from '../../store/discovery/listed-source.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { createObjectSource } from '../../store/records/source-version.ts';
import { projectFailures } from '../projects/failures.ts';
import { renderFailures } from './failures.ts';
import { isStillType, toOutputRefs } from './job-outputs.ts';

export const RenderSelection = z
  .strictObject({
    jobs: ids
      .optional()
      .describe(
        'Ids of completed render jobs: each job becomes one asset with all of its outputs.',
      ),
    ids: ids.optional().describe('Ids of outputs: each output becomes one asset.'),
    projectIds: ids.optional().describe('All outputs of these projects.'),
    name: nameGlob.optional(),
    isVideo: z.boolean().optional(),
    favorited: z.boolean().optional(),
  })
  .refine(
    (selection) =>
      (selection.jobs ?? selection.ids) === undefined || Object.keys(selection).length === 1,
    { message: 'must have either jobs, ids or other conditions' },
  )
  .describe(
    'Finished renders that meet all conditions; without a condition, all renders of the workspace.',
  );

export type RenderSelection = z.output<typeof RenderSelection>;

type ListedOutput = ResponseOf<typeof RenderAsset>;

/** Maximum number of outputs stored with an asset. If there are more, the job is read again at delivery. */
const maxListedOutputs = 20;
/** Types whose URL in the list is certainly the output itself. For other types it may be a preview. */
const plainStills = new Set(['PNG', 'JPEG', 'JPG']);

export function renderLister(selection: RenderSelection, context: ListDeps): Lister {
  const { jobs } = selection;
  return {
    list: (signal) =>
      jobs
        ? listJobsById(jobs, context, signal)
        : listMatchingOutputs(context.ids ? { ids: [...context.ids] } : selection, context, signal),
  };
}

/** Lists jobs by id. No operation lists render jobs, so each one is read individually. */
async function listJobsById(
  jobIds: readonly string[],
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const client = context.client();
  const { node } = context;
  const options = listOptions(context, signal);
  const { RENDER_JOB_NOT_FOUND, RENDER_NOT_FINISHED } = renderFailures;
  const sources: ListedSource[] = [];
  const failures: Failure[] = [];
  const jobs = await mapBounded(
    [...new Set(jobIds)],
    async (jobId) => {
      const read = () => client.getRenderJob({ params: { jobId } }, options);
      const readJob = () => nullIfNotFound(() => readWithRetry(read, signal));
      return { jobId, job: await readOrUnreadable(readJob) };
    },
    { signal },
  );
  for (const { jobId, job } of jobs) {
    if (job instanceof ResponseShapeError) {
      failures.push(unreadableFailure(jobId, job.message, node));
    } else if (job === null) {
      failures.push(missingFailure(RENDER_JOB_NOT_FOUND, 'render job', jobId, node));
    } else if (job.status === 'COMPLETED') {
      const { projectId } = job;
      const outputs = toOutputRefs(job);
      const ids = outputs.map(({ id }) => id).sort();
      sources.push({
        unkeyed: toUnkeyedObject(jobId, jobId),
        source: createObjectSource(jobId, jobId, ids, null),
        platformIds: {
          jobId,
          ...(projectId ? { projectId } : {}),
          ...(outputs.length > maxListedOutputs ? {} : { outputs }),
        },
      });
    } else {
      const message = `render job ${jobId} is ${job.status}; only finished render jobs can be delivered`;
      failures.push(objectFailure(RENDER_NOT_FINISHED, jobId, node, message));
    }
  }
  return { sources, failures };
}

async function listMatchingOutputs(
  { ids, projectIds, name, isVideo, favorited }: RenderSelection,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const { listRenders } = context.client();
  const remainingIds = ids === undefined ? null : new Set(ids);
  const fits = nameMatcher(name);
  const sourceById = new Map<string, ListedSource>();
  const failures: Failure[] = [];
  for (const projectId of projectIds ?? [undefined]) {
    let isEmpty = true;
    const query = omitUndefined({ isVideo, favorited, projectId });
    const list = listWithRetry('listRenders', listRenders, query, context, signal);
    for await (const render of filterCreatedSince(list, context)) {
      isEmpty = false;
      if (remainingIds === null ? fits(render.name ?? '') : remainingIds.delete(render.id)) {
        sourceById.set(render.id, toListedSource(render));
      }
      // No operation reads one output by id, so the list is read only until all wanted ids are found.
      if (remainingIds?.size === 0) break;
    }
    // The list of a project that does not exist is empty too. A sweep ignores failures.
    if (isEmpty && projectId !== undefined && context.minCreatedAtMs === undefined)
      failures.push(...(await failMissingProject(projectId, context, signal)));
  }
  for (const id of remainingIds ?? [])
    failures.push(missingFailure(renderFailures.RENDER_NOT_FOUND, 'render', id, context.node));
  return { sources: [...sourceById.values()], failures };
}

/** Returns the failure of a project that does not exist. A rerun does not select it by id, since it is not a render. */
async function failMissingProject(
  projectId: string,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<Failure[]> {
  const { getProject } = context.client();
  const read = () => getProject({ params: { projectId } }, listOptions(context, signal));
  const readProject = () => nullIfNotFound(() => readWithRetry(read, signal));
  if ((await readOrUnreadable(readProject)) !== null) return [];
  const message = `project ${projectId} does not exist in this workspace; check the id and the API key`;
  return [failSource(projectFailures.PROJECT_NOT_FOUND, projectId, context.node, message)];
}

function toListedSource(render: ListedOutput): ListedSource {
  const { id, name = id, projectId, fileType = '', isPreview = false, url, createdAt } = render;
  const isVideo = render.isVideo ?? !isStillType(fileType);
  const hasDirectUrl = !isVideo && url !== undefined && plainStills.has(fileType.toUpperCase());
  const output = { id, name, fileType, isVideo, isPreview, ...(hasDirectUrl ? { url } : {}) };
  return {
    unkeyed: toUnkeyedObject(id, name),
    source: createObjectSource(id, name, [fileType], render.fileSize ?? null),
    platformIds: { projectId, outputs: [output] },
    ...toCreationTime(createdAt),
  };
}
