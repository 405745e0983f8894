// The hand-written workflow. There is one workflow per asset, one activity per request, and a loop that polls and
// sleeps.
import { ApplicationFailure, proxyActivities, sleep } from '@temporalio/workflow';
import type { createActivities } from './activities.ts';

export interface AssetInput {
  file: string;
  name: string;
  templateId: string;
  output: string;
}

const platform = proxyActivities<ReturnType<typeof createActivities>>({
  startToCloseTimeout: '2 minutes',
  retry: { initialInterval: '1s', backoffCoefficient: 2, maximumInterval: '30s' },
});

const pollEvery = '5s';

export async function renderAsset(input: AssetInput): Promise<string> {
  const { modelId, uploadUrl } = await platform.createModel(input.name);
  await platform.uploadFile(input.file, uploadUrl);
  await platform.confirmModel(modelId);
  for (;;) {
    await sleep(pollEvery);
    const { status, ready } = await platform.getModelStatus(modelId);
    if (ready) break;
    if (status === 'FAILED') throw ApplicationFailure.nonRetryable(`model ${modelId} failed`);
  }
  const projectId = await platform.createProject(modelId, input.templateId);
  const jobId = await platform.startRender(projectId);
  for (;;) {
    await sleep(pollEvery);
    const job = await platform.getRender(jobId);
    if (job.status === 'FAILED' || job.status === 'CANCELLED') {
      throw ApplicationFailure.nonRetryable(job.errorMessage ?? `render ${jobId} ${job.status}`);
    }
    const [picture] = job.pictures;
    if (job.status !== 'COMPLETED' || !picture) continue;
    await platform.download(picture, input.output);
    return input.output;
  }
}
