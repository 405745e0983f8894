// `select` of node types that can start a pipeline with projects of the platform: by id, or by status and name.
import { z } from 'zod';
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { ProjectListItem } from '../../api/operations/projects.ts';
import { findByIds } from '../../engine/discovery/find-by-ids.ts';
import {
  filterCreatedSince,
  type ListDeps,
  listOptions,
  listWithRetry,
} from '../../engine/discovery/list-deps.ts';
import { nameMatcher } from '../../engine/discovery/name-match.ts';
import {
  failRefusedIds,
  toCreationTime,
  toUnkeyedObject,
} from '../../engine/discovery/platform-objects.ts';
import { areIdsUncombined, ids, nameGlob } from '../../engine/discovery/selection-fields.ts';
import type { RootRole } from '../../engine/node-type.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import type { ListedSource, ListedSources, Lister } from '../../store/discovery/listed-source.ts';
import { createObjectSource } from '../../store/records/source-version.ts';
import { projectFailures } from './failures.ts';

const ProjectSelection = z
  .strictObject({
    ids: ids.optional(),
    status: z.string().min(1).optional().describe('Status on the platform, such as COMPLETED.'),
    name: nameGlob.optional(),
  })
  .refine(areIdsUncombined, 'must have either ids or other conditions')
  .describe(
    'Projects that meet all conditions; without a condition, all projects of the workspace.',
  );

export type ProjectSelection = z.output<typeof ProjectSelection>;

export const SelectProjects = z
  .strictObject({ projects: ProjectSelection })
  .describe('Starts the pipeline with projects of the platform.');

interface SelectsProjects {
  select?: z.output<typeof SelectProjects> | undefined;
}

/** The root of node types with `select: SelectProjects`. Models of an existing project are ready. */
export const selectedProjects: RootRole<SelectsProjects> = {
  from: 'platform',
  by: ['select'],
  providedResources: () => ['ready model', 'project'],
  list: ({ select }, context) => projectLister(select?.projects ?? {}, context),
};

/** A project from the list, or from a read by id, which returns no creation time. */
type SelectedProject = ResponseOf<typeof ProjectListItem>;

export function projectLister(selection: ProjectSelection, context: ListDeps): Lister {
  const projectIds = context.ids ?? selection.ids;
  return {
    list: (signal) =>
      projectIds
        ? listProjectsById(projectIds, context, signal)
        : listMatchingProjects(selection, context, signal),
  };
}

async function listProjectsById(
  projectIds: readonly string[],
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  const client = context.client();
  const options = listOptions(context, signal);
  const lookup = await findByIds<SelectedProject>(
    projectIds,
    {
      idOf: ({ projectId }) => projectId,
      async readPage(query) {
        const { projects, total } = await client.listProjects({ query }, options);
        return { items: projects, total };
      },
      readOne: (projectId) => client.getProject({ params: { projectId } }, options),
    },
    signal,
  );
  const failure = projectFailures.PROJECT_NOT_FOUND;
  const failures = failRefusedIds(lookup, { failure, what: 'project', node: context.node });
  return { sources: lookup.items.map(toListedSource), failures };
}

async function listMatchingProjects(
  { status, name }: ProjectSelection,
  context: ListDeps,
  signal: AbortSignal | undefined,
): Promise<ListedSources> {
  // The list cannot filter by name, so all projects are read and filtered here.
  const fits = nameMatcher(name);
  const sources: ListedSource[] = [];
  const { listProjects } = context.client();
  const query = omitUndefined({ status });
  const list = listWithRetry('listProjects', listProjects, query, context, signal);
  for await (const project of filterCreatedSince(list, context)) {
    if (fits(project.name ?? '')) sources.push(toListedSource(project));
  }
  return { sources, failures: [] };
}

/** The source version does not contain the status, because our own renders change it. */
function toListedSource({
  projectId,
  name = projectId,
  modelIds,
  templateId,
  createdAt,
}: SelectedProject): ListedSource {
  const [modelId, ...others] = modelIds;
  return {
    unkeyed: toUnkeyedObject(projectId, name),
    source: createObjectSource(projectId, name, [...modelIds, templateId ?? null], null),
    platformIds: {
      projectId,
      ...(modelId !== undefined && others.length === 0 ? { modelId } : {}),
      ...(templateId ? { templateId } : {}),
    },
    ...toCreationTime(createdAt),
  };
}
