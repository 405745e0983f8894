// A project of exactly our model with our template, made since we asked for it, is what we asked for.
import type { NodeContext } from '../../../nodes/node-context.ts';
import type { Intent } from '../../../store/intents.ts';
import { bodyOf, collect } from '../answers.ts';
import { type Finding, found, type Look } from './finding.ts';
import { listedSince } from './listed-since.ts';

/** Other colorways of a model have projects of the same model and template. */
async function projectsOfOthers(
  { key }: Intent,
  { store, shard }: NodeContext,
): Promise<Set<string>> {
  const calls = await store.callsOf(shard);
  const others = calls.filter((call) => call.operation === 'createProjects' && call.key !== key);
  const made = others.flatMap(({ answer = {} }) => Object.values(answer));
  return new Set(made.flatMap(({ projectId }) => projectId ?? []));
}

export const lookForProjects: Look = async (intent, context): Promise<Finding> => {
  const { client } = context;
  const projects = await listedSince(
    {
      operation: 'listProjects',
      isNewestFirst: true,
      read: (query, options) => client.callWithMeta('listProjects', { query }, options),
    },
    intent,
    context,
  );
  if (projects === null) return { is: 'unknown' };
  const sent = bodyOf<{ modelIds: string[]; templateId?: string }>(intent);
  const fitting = projects.filter(
    ({ modelIds, templateId }) =>
      modelIds.length === 1 && (templateId ?? null) === (sent.templateId ?? null),
  );
  // The list is newest first: of several the oldest stays.
  const others = fitting.length > 0 ? await projectsOfOthers(intent, context) : new Set<string>();
  const free = fitting.filter(({ projectId }) => !others.has(projectId));
  const idOf = new Map(free.map(({ modelIds, projectId }) => [modelIds[0], projectId]));
  return found(
    collect(intent.assets, (index) => {
      const projectId = idOf.get(sent.modelIds[index]);
      // Nobody can tell whose it is to the last: its renders are asked for one by one.
      return projectId === undefined ? null : { projectId, ownProject: false };
    }),
  );
};
