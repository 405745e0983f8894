// A project of exactly our model with our template, made since we asked for it, is what we asked for.
import type { NodeContext } from '../../machinery/node-context.ts';
import { bodyOf, collect } from '../../machinery/submit/answers.ts';
import { type Finding, found, type Look } from '../../machinery/submit/looks/finding.ts';
import { listedSince } from '../../machinery/submit/looks/listed-since.ts';
import type { Intent } from '../../store/calls/intents.ts';

interface Body {
  modelIds: string[];
  templateId?: string;
}

/**
 * Which of the projects that fit is that of this call: other colorways of a model have projects of the same model and
 * template. Those that answers name are theirs; of the others each call without an answer takes one, in the order of keys.
 */
async function shareOf(
  intent: Intent,
  { store, shard }: NodeContext,
): Promise<{ isTaken: (projectId: string) => boolean; rankOf: (modelId: string) => number }> {
  const calls = await store.callsOf(shard);
  const others = calls.filter(
    ({ operation, key }) => operation === intent.operation && key !== intent.key,
  );
  const made = others.flatMap(({ answer = {} }) => Object.values(answer));
  const taken = new Set(made.map(({ projectId }) => projectId));
  const before = others.filter(({ state, key }) => state === 'open' && key < intent.key);
  return {
    isTaken: (projectId) => taken.has(projectId),
    rankOf: (modelId) =>
      before.filter((call) => bodyOf<Body>(call).modelIds.includes(modelId)).length,
  };
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
  const sent = bodyOf<Body>(intent);
  const fitting = projects.filter(
    ({ modelIds, templateId }) =>
      modelIds.length === 1 && (templateId ?? null) === (sent.templateId ?? null),
  );
  if (fitting.length === 0) return found({});
  const { isTaken, rankOf } = await shareOf(intent, context);
  return found(
    collect(intent.assets, (index) => {
      const modelId = sent.modelIds[index] ?? '';
      const mine = fitting.filter((one) => one.modelIds[0] === modelId && !isTaken(one.projectId));
      // The list is newest first: of several the oldest stays.
      const projectId = mine.at(-1 - rankOf(modelId))?.projectId;
      // Nobody can tell whose it is to the last: its renders are asked for one by one.
      return projectId === undefined ? null : { projectId, ownProject: false };
    }),
  );
};
