// Lists projects of the workspace as assets: by id, or by status and name.
import type { ResponseOf } from '../../api/contract/response-marks.ts';
import type { ProjectListItem } from '../../api/operations/projects.ts';
import { pages } from '../../api/pages.ts';
import { findByIds } from '../../engine/discovery/find-by-ids.ts';
import {
  createdSince,
  type ListContext,
  listOptions,
} from '../../engine/discovery/list-context.ts';
import { nameMatcher } from '../../engine/discovery/name-match.ts';
import {
  createdAtMsOf,
  missingObject,
  unnamedObject,
  unreadableObject,
} from '../../engine/discovery/platform-objects.ts';
import { readWithRetry } from '../../engine/discovery/read-with-retry.ts';
import type { Listed, ListedSource, Lister } from '../../store/discovery/lister.ts';
import { objectSource } from '../../store/records/source-version.ts';
import { projectFailures } from './failures.ts';

export interface ProjectSelection {
  ids?: readonly string[] | undefined;
  status?: string | undefined;
  /** A glob. */
  name?: string | undefined;
}

/** A project as in the list, or as its own record, which lacks the creation time. */
type SelectedProject = ResponseOf<typeof ProjectListItem>;

export function projectLister(selection: ProjectSelection, context: ListContext): Lister {
  const ids = context.ids ?? selection.ids;
  return {
    list: (signal) =>
      ids
        ? listProjectsById(ids, context, signal)
        : listMatchingProjects(selection, context, signal),
  };
}

async function listProjectsById(
  ids: readonly string[],
  context: ListContext,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const client = context.client();
  const options = listOptions(context, signal);
  const { items, missing, unreadable } = await findByIds<SelectedProject>(
    ids,
    {
      idOf: ({ projectId }) => projectId,
      async page(place) {
        const { projects, total } = await client.listProjects({ query: place }, options);
        return { items: projects, total };
      },
      one: (projectId) => client.getProject({ params: { projectId } }, options),
    },
    signal,
  );
  const refused = [
    ...missing.map((id) =>
      missingObject(projectFailures.PROJECT_NOT_FOUND, 'project', id, context.node),
    ),
    ...unreadable.map(({ id, message }) => unreadableObject(id, message, context.node)),
  ];
  return { found: items.map(toListedSource), refused };
}

async function listMatchingProjects(
  { status, name }: ProjectSelection,
  context: ListContext,
  signal: AbortSignal | undefined,
): Promise<Listed> {
  const client = context.client();
  const options = listOptions(context, signal);
  // The list cannot filter by name, so all projects are read and filtered here.
  const fits = name === undefined ? () => true : nameMatcher(name);
  const found: ListedSource[] = [];
  const list = pages(
    'listProjects',
    (input: Parameters<typeof client.listProjects>[0]) =>
      readWithRetry(() => client.listProjects(input, options), signal),
    status === undefined ? {} : { status },
  );
  for await (const project of createdSince(list, context)) {
    if (fits(project.name ?? '')) found.push(toListedSource(project));
  }
  return { found, refused: [] };
}

/** The status is not part of the source version, because our own renders change it. */
function toListedSource({
  projectId,
  name = projectId,
  modelIds,
  templateId,
  createdAt,
}: SelectedProject): ListedSource {
  const [modelId, ...others] = modelIds;
  return {
    unkeyed: unnamedObject(projectId, name),
    source: objectSource(projectId, name, [...modelIds, templateId ?? null], null),
    platformIds: {
      projectId,
      ...(modelId !== undefined && others.length === 0 ? { modelId } : {}),
      ...(templateId ? { templateId } : {}),
    },
    ...createdAtMsOf(createdAt),
  };
}
