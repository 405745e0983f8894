// Calls that create models: unified jobs, which are confirmed once for all their files, and single records.
import { itemsOf } from '../../api/answer-parts.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import {
  type AnswerTo,
  collect,
  collectByName,
  defineCreation,
  type Sent,
} from '../../machinery/submit/creation.ts';
import { type Answers, found, lookOptions } from '../../machinery/submit/finding.ts';

export const createJob = defineCreation({
  operation: 'createJob',
  takesFiles: true,
  refs: refsOfJob,
  names: ({ models }) => models.map(({ name }) => name),
  async rest(sent, { jobId }, context) {
    const job = await context.client.getJob({ params: { jobId } }, lookOptions(context));
    return refsOfJob(sent, { jobId, models: itemsOf(job.models ?? []) });
  },
});

function refsOfJob(
  { assets, body }: Sent<'createJob'>,
  { models }: Pick<AnswerTo<'createJob'>, 'jobId' | 'models'>,
): Answers {
  return collectByName(
    assets,
    body.models.map(({ fileName }) => fileName),
    models.map(({ fileName, id: modelId }) => [fileName, { modelId }]),
  );
}

/** The confirmation has worked if the job no longer waits for uploads. */
export const confirmJobUploads = defineCreation({
  operation: 'confirmJobUploads',
  takesFiles: true,
  refs: () => ({}),
  async look({ params: { jobId = '' } = {}, assets }, context: NodeContext) {
    const read = () => context.client.getJob({ params: { jobId } }, lookOptions(context));
    const job = await nullWhenGone(read);
    if (job === null || job.status === 'AWAITING_UPLOADS') return { is: 'undone' };
    return found(collect(assets, () => ({})));
  },
});

export const createModels = defineCreation({
  operation: 'createModels',
  takesFiles: true,
  refs: ({ assets, body }, { models }) =>
    collectByName(
      assets,
      body.models.map(({ name }) => name),
      models.map(({ name, modelId }) => [name, { modelId }]),
    ),
  names: ({ models }) => models.map(({ name }) => name),
});
