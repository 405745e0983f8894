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
  const share = await shareOf(sent, context);
  if (share === null) return { is: 'unknown' };
  const { isTaken, rankOf } = share;
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
 * template. Those that answers name are theirs; of the others each call that has failed takes one, in the order of keys.
 * Null where one of these calls may never have been sent: its key tells whose project is whose, and the list does not.
 */
async function shareOf(
  sent: SentProjects,
  { store, shard }: NodeContext,
): Promise<{
  isTaken: (projectId: string) => boolean;
  rankOf: (modelId: string) => number;
} | null> {
  const calls = await store.callsOf(shard);
  const others = calls.filter(
    ({ operation, key }) => operation === sent.operation && key !== sent.key,
  );
  const made = others.flatMap(({ answer = {} }) => Object.values(answer));
  const taken = new Set(made.map(({ projectId }) => projectId));
  const modelIdsOf = (call: Intent) => bodyOf<'createProjects'>(call).modelIds;
  const ours = new Set(sent.body.modelIds);
  const open = others.filter(
    (call) => call.state === 'open' && modelIdsOf(call).some((modelId) => ours.has(modelId)),
  );
  if (open.length > 0 && [sent, ...open].some(({ doubtSince }) => doubtSince === undefined))
    return null;
  const before = open.filter(({ key }) => key < sent.key);
  return {
    isTaken: (projectId) => taken.has(projectId),
    rankOf: (modelId) => before.filter((call) => modelIdsOf(call).includes(modelId)).length,
  };
}
