// Calls that create projects. After a lost response, a new project of our model and template counts as ours.
import type { NodeContext } from '../../engine/node-context.ts';
import { type CallOutcome, toCallOutcome } from '../../engine/submit/call-outcome.ts';
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
  isAboutAsset: ({ body }, index, { modelId }) => body.modelIds[index] === modelId,
  findOutcome: findCreatedProjects,
  async readUnmentioned(sentCall, _response, context) {
    const finding = await findCreatedProjects(sentCall, context);
    return finding.state === 'done' ? finding.created : {};
  },
});

async function findCreatedProjects(
  sentCall: SentProjects,
  context: NodeContext,
): Promise<CallOutcome> {
  const { client } = context;
  const { assets, body } = sentCall;
  const projects = await listCreatedSince(
    {
      operation: 'listProjects',
      isNewestFirst: true,
      read: (query, options) => client.callWithMeta('listProjects', { query }, options),
    },
    sentCall,
    context,
  );
  if (projects === null) return { state: 'unknown' };
  const matchingProjects = projects.filter(
    ({ modelIds, templateId }) =>
      modelIds.length === 1 && (templateId ?? null) === (body.templateId ?? null),
  );
  if (matchingProjects.length === 0) return toCallOutcome({});
  const share = await findOwnShare(sentCall, context);
  if (share === null) return { state: 'unknown' };
  const { isTaken, rankOf } = share;
  return toCallOutcome(
    assignIds(assets, (index) => {
      const modelId = body.modelIds[index] ?? '';
      const ownProjects = matchingProjects.filter(
        (project) => project.modelIds[0] === modelId && !isTaken(project.projectId),
      );
      // The list is newest first. The open call with the first key is assigned the oldest project.
      const projectId = ownProjects.at(-1 - rankOf(modelId))?.projectId;
      // The project may still belong to somebody else, so its renders are read individually.
      return projectId === undefined ? null : { projectId, ownProject: false };
    }),
  );
}

/**
 * Decides which of the matching projects belong to this call, because other colorways of a model create projects of the
 * same model and template. Projects in the responses of other calls belong to those calls. Each call without a response
 * is assigned one of the remaining projects, in the order of call keys. Returns null if one of these calls may never
 * have been sent, because the projects cannot then be assigned.
 */
async function findOwnShare(
  sentCall: SentProjects,
  { store, shard }: NodeContext,
): Promise<{
  isTaken: (projectId: string) => boolean;
  rankOf: (modelId: string) => number;
} | null> {
  const calls = await store.callsOf(shard);
  const others = calls.filter(
    ({ operation, key }) => operation === sentCall.operation && key !== sentCall.key,
  );
  const createdByOthers = others.flatMap(({ result = {} }) => Object.values(result));
  const takenProjectIds = new Set(createdByOthers.map(({ projectId }) => projectId));
  const modelIdsOf = (call: Intent) => bodyOf<'createProjects'>(call).modelIds;
  const ownModelIds = new Set(sentCall.body.modelIds);
  const openCalls = others.filter(
    (call) => call.state === 'open' && modelIdsOf(call).some((modelId) => ownModelIds.has(modelId)),
  );
  if (
    openCalls.length > 0 &&
    [sentCall, ...openCalls].some(({ ambiguousSince }) => ambiguousSince === undefined)
  )
    return null;
  const earlierCalls = openCalls.filter(({ key }) => key < sentCall.key);
  return {
    isTaken: (projectId) => takenProjectIds.has(projectId),
    rankOf: (modelId) => earlierCalls.filter((call) => modelIdsOf(call).includes(modelId)).length,
  };
}
