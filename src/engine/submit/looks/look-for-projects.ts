// A project of exactly our model with our template, made since we asked for it, is what we asked for.
import { bodyOf, collect } from '../answers.ts';
import { type Finding, found, type Look } from './finding.ts';
import { listedSince } from './listed-since.ts';

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
  const idOf = new Map(fitting.map(({ modelIds, projectId }) => [modelIds[0], projectId]));
  return found(
    collect(intent.assets, (index) => {
      const projectId = idOf.get(sent.modelIds[index]);
      // Nobody can tell whose it is to the last: its renders are asked for one by one.
      return projectId === undefined ? null : { projectId, ownProject: false };
    }),
  );
};
