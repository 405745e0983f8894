// Jobs show that they were started again or confirmed, and all that is theirs.
import { itemsOf } from '../../api/answer-parts.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { type Answers, collect, readAnswer } from '../../machinery/submit/answers.ts';
import { found, type Look, lookOptions } from '../../machinery/submit/looks/finding.ts';
import type { Intent } from '../../store/calls/intents.ts';

/** Only a FAILED render can be started again (3.2); which batch it is in then, no operation tells. */
export const lookForRestart: Look = async (intent, context) => {
  const params = { jobId: intent.params?.['jobId'] ?? '' };
  const job = await nullWhenGone(() =>
    context.client.getRenderJob({ params }, lookOptions(context)),
  );
  if (job === null || job.status === 'FAILED') return { is: 'undone' };
  const at = new Date(context.now()).toISOString();
  return found(readAnswer('retryRenderJob', intent, { jobId: params.jobId, batchId: '' }, at));
};

export const lookForColorwayRestart: Look = async (intent, context) => {
  const { batchId = '', jobId } = intent.params ?? {};
  const read = () => context.client.getColorwayBatch({ params: { batchId } }, lookOptions(context));
  const job = (await nullWhenGone(read))?.jobs.find(({ id }) => id === jobId);
  if (job === undefined || job.status === 'failed') return { is: 'undone' };
  return found(readAnswer('retryColorwayJob', intent, {}, ''));
};

/** A job whose uploads are confirmed waits for none. */
export const lookForConfirm: Look = async (intent, context) => {
  const params = { jobId: intent.params?.['jobId'] ?? '' };
  const job = await nullWhenGone(() => context.client.getJob({ params }, lookOptions(context)));
  if (job === null || job.status === 'AWAITING_UPLOADS') return { is: 'undone' };
  return found(collect(intent.assets, () => ({})));
};

/** All models of a unified job, also those that its create answer does not mention. */
export async function modelsOfJob(
  intent: Intent,
  answer: unknown,
  context: NodeContext,
): Promise<Answers> {
  const { jobId } = answer as { jobId: string };
  const job = await context.client.getJob({ params: { jobId } }, lookOptions(context));
  return readAnswer('createJob', intent, { jobId, models: itemsOf(job.models ?? []) }, '');
}

/** All jobs of a batch of renders. */
export async function rendersOfBatch(
  intent: Intent,
  answer: unknown,
  context: NodeContext,
): Promise<Answers> {
  const { batchId } = answer as { batchId: string };
  const batch = await context.client.getRenderBatch({ params: { batchId } }, lookOptions(context));
  const jobs = itemsOf(
    batch.jobs.flatMap(({ jobId, projectId }) =>
      projectId === undefined ? [] : [{ jobId, projectId }],
    ),
  );
  return readAnswer(
    'createRenders',
    intent,
    { batchId, jobs },
    new Date(context.now()).toISOString(),
  );
}
