// Creating calls of projects. A project of exactly our model with our template, made since we asked for one, is taken for ours.
import type { NodeContext } from '../../machinery/node-context.ts';
import { bodyOf, collect, defineCreation, type Sent } from '../../machinery/submit/creation.ts';
import { type Finding, found } from '../../machinery/submit/finding.ts';
import { listedSince } from '../../machinery/submit/listed-since.ts';
import type { Intent } from '../../store/calls/intents.ts';

type SentProjects = Sent<'createProjects', Intent>;

export const createProjects = defineCreation({
  operation: 'createProjects',
  refs({ assets, body }, { projects }) {
    const idOf = new Map(projects.map(({ projectId, modelIds }) => [modelIds[0], projectId]));
    return collect(assets, (index) => {
      const projectId = idOf.get(body.modelIds[index]);
      return projectId === undefined ? null : { projectId, ownProject: true };
    });
  },
  isAbout: ({ body }, index, { modelId }) => body.modelIds[index] === modelId,
  look,
  async rest(sent, _answer, context) {
    const finding = await look(sent, context);
    return finding.is === 'done' ? finding.made : {};
  },
});

async function look(sent: SentProjects, context: NodeContext): Promise<Finding> {
  const { client } = context;
  const { assets, body } = sent;
  const projects = await listedSince(
    {
      operation: 'listProjects',
      isNewestFirst: true,
      read: (query, options) => client.callWithMeta('listProjects', { query }, options),
    },
    sent,
    context,
  );
  if (projects === null) return { is: 'unknown' };
  const fitting = projects.filter(
    ({ modelIds, templateId }) =>
      modelIds.length === 1 && (templateId ?? null) === (body.templateId ?? null),
  );
  if (fitting.length === 0) return found({});
  const { isTaken, rankOf } = await shareOf(sent, context);
  return found(
    collect(assets, (index) => {
      const modelId = body.modelIds[index] ?? '';
      const mine = fitting.filter((one) => one.modelIds[0] === modelId && !isTaken(one.projectId));
      // The list is newest first: of several the oldest stays.
      const projectId = mine.at(-1 - rankOf(modelId))?.projectId;
      // It may be somebody else's after all, so its renders are asked for one by one.
      return projectId === undefined ? null : { projectId, ownProject: false };
    }),
  );
}

/**
 * Finds the project of this call among those that fit: other colorways of a model have projects of the same model and
 * template. Those that answers name are theirs; of the others each call without an answer takes one, in the order of keys.
 */
async function shareOf(
  { operation, key: ownKey }: Intent,
  { store, shard }: NodeContext,
): Promise<{ isTaken: (projectId: string) => boolean; rankOf: (modelId: string) => number }> {
  const calls = await store.callsOf(shard);
  const others = calls.filter((call) => call.operation === operation && call.key !== ownKey);
  const made = others.flatMap(({ answer = {} }) => Object.values(answer));
  const taken = new Set(made.map(({ projectId }) => projectId));
  const before = others.filter(({ state, key }) => state === 'open' && key < ownKey);
  return {
    isTaken: (projectId) => taken.has(projectId),
    rankOf: (modelId) =>
      before.filter((call) => bodyOf<'createProjects'>(call).modelIds.includes(modelId)).length,
  };
}
