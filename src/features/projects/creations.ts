// Calls that create projects. After a lost response, a new project of our model and template counts as ours.
import type { NodeContext } from '../../engine/node-context.ts';
import { type CallOutcome, outcomeFrom } from '../../engine/submit/call-outcome.ts';
import {
  assignIds,
  bodyOf,
  defineCreation,
  type ParsedCall,
} from '../../engine/submit/creation.ts';
import { listCreatedSince } from '../../engine/submit/list-created-since.ts';
import type { Intent } from '../../store/calls/intents.ts';

type SentProjects = ParsedCall<'createProjects', Intent>;

export const projectCreation = defineCreation({
  operation: 'createProjects',
  readIds({ assets, body }, { projects }) {
    const idOf = new Map(projects.map(({ projectId, modelIds }) => [modelIds[0], projectId]));
    return assignIds(assets, (index) => {
      const projectId = idOf.get(body.modelIds[index]);
      return projectId === undefined ? null : { projectId, ownProject: true };
    });
  },
  isAbout: ({ body }, index, { modelId }) => body.modelIds[index] === modelId,
  findOutcome: findCreatedProjects,
  async readUnmentioned(sent, _answer, context) {
    const finding = await findCreatedProjects(sent, context);
    return finding.state === 'done' ? finding.created : {};
  },
});

async function findCreatedProjects(sent: SentProjects, context: NodeContext): Promise<CallOutcome> {
  const { client } = context;
  const { assets, body } = sent;
  const projects = await listCreatedSince(
    {
      operation: 'listProjects',
      isNewestFirst: true,
      read: (query, options) => client.callWithMeta('listProjects', { query }, options),
    },
    sent,
    context,
  );
  if (projects === null) return { state: 'unknown' };
  const matching = projects.filter(
    ({ modelIds, templateId }) =>
      modelIds.length === 1 && (templateId ?? null) === (body.templateId ?? null),
  );
  if (matching.length === 0) return outcomeFrom({});
  const share = await findOwnShare(sent, context);
  if (share === null) return { state: 'unknown' };
  const { isTaken, rankOf } = share;
  return outcomeFrom(
    assignIds(assets, (index) => {
      const modelId = body.modelIds[index] ?? '';
      const mine = matching.filter((one) => one.modelIds[0] === modelId && !isTaken(one.projectId));
      // The list is newest first. The open call with the first key takes the oldest project.
      const projectId = mine.at(-1 - rankOf(modelId))?.projectId;
      // The project may still be somebody else's, so its renders are read individually.
      return projectId === undefined ? null : { projectId, ownProject: false };
    }),
  );
}

/**
 * Decides which of the matching projects belong to this call, because other colorways of a model have projects of the
 * same model and template. Projects in the responses of other calls are taken. Of the rest, each call without a
 * response takes one, in the order of call keys. Returns null if one of these calls may never have been sent: then the
 * projects cannot be assigned.
 */
async function findOwnShare(
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
  const createdByOthers = others.flatMap(({ result = {} }) => Object.values(result));
  const taken = new Set(createdByOthers.map(({ projectId }) => projectId));
  const modelIdsOf = (call: Intent) => bodyOf<'createProjects'>(call).modelIds;
  const ownModelIds = new Set(sent.body.modelIds);
  const open = others.filter(
    (call) => call.state === 'open' && modelIdsOf(call).some((modelId) => ownModelIds.has(modelId)),
  );
  if (open.length > 0 && [sent, ...open].some(({ ambiguousSince }) => ambiguousSince === undefined))
    return null;
  const before = open.filter(({ key }) => key < sent.key);
  return {
    isTaken: (projectId) => taken.has(projectId),
    rankOf: (modelId) => before.filter((call) => modelIdsOf(call).includes(modelId)).length,
  };
}
