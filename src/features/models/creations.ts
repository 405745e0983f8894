// Calls that create models: unified jobs, confirmed once for all files, and models that are confirmed one by one.
import { itemsOf } from '../../api/contract/response-marks.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { callOptions, type IdsByAsset, toCallOutcome } from '../../engine/submit/call-outcome.ts';
import {
  assignIds,
  assignIdsByName,
  defineCreation,
  type ParsedCall,
  type ResponseTo,
} from '../../engine/submit/creation.ts';

export const uploadJobCreation = defineCreation({
  operation: 'createJob',
  takesFiles: true,
  readIds: readModelIds,
  names: ({ models }) => models.map(({ name }) => name),
  async readUnmentioned(sentCall, { jobId }, context) {
    const job = await context.client.getJob({ params: { jobId } }, callOptions(context));
    return readModelIds(sentCall, { jobId, models: itemsOf(job.models ?? []) });
  },
});

function readModelIds(
  { assets, body }: ParsedCall<'createJob'>,
  { models }: Pick<ResponseTo<'createJob'>, 'jobId' | 'models'>,
): IdsByAsset {
  return assignIdsByName(
    assets,
    body.models.map(({ fileName }) => fileName),
    models.map(({ fileName, id: modelId }) => [fileName, { modelId }]),
  );
}

/** If the job no longer waits for uploads, the confirmation has succeeded. */
export const uploadConfirmation = defineCreation({
  operation: 'confirmJobUploads',
  takesFiles: true,
  readIds: () => ({}),
  async findOutcome({ params: { jobId = '' } = {}, assets }, context: NodeContext) {
    const read = () => context.client.getJob({ params: { jobId } }, callOptions(context));
    const job = await nullIfNotFound(read);
    if (job === null || job.status === 'AWAITING_UPLOADS') return { state: 'not-done' };
    return toCallOutcome(assignIds(assets, () => ({})));
  },
});

export const modelCreation = defineCreation({
  operation: 'createModels',
  takesFiles: true,
  readIds: ({ assets, body }, { models }) =>
    assignIdsByName(
      assets,
      body.models.map(({ name }) => name),
      models.map(({ name, modelId }) => [name, { modelId }]),
    ),
  names: ({ models }) => models.map(({ name }) => name),
});
