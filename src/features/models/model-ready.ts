import { z } from 'zod';
import { readyStatuses } from '../../api/operations/models.ts';
import {
  checkEventFields,
  createEventFields,
  toEventRules,
} from '../../engine/discovery/event-fields.ts';
import { defineNode, type RootRole } from '../../engine/node-type.ts';
import { defineWait } from '../../engine/wait-results.ts';
import type { KnownFailure } from '../../failures/define.ts';
import { fail, failMissing } from '../../failures/fail.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { takenModelsExample } from '../example.ts';
import { modelFailures } from './failures.ts';
import { isModelFinished, type ModelPollResult, modelStatusPoller } from './model-status-poller.ts';
import { createModelLister, SelectModels, selectedModels } from './selection/select-models.ts';

/** A sweep looks back this far, because the list is sorted by creation time, and processing may end much later. */
const overlapMs = 24 * 3_600_000;

/** Typical processing time of a model. */
const processingSeconds = 5;

const Config = checkEventFields(
  z.strictObject({
    select: SelectModels.optional(),
    ...createEventFields('model.processed', {
      begins: 'models that the platform has processed',
      made: 'models that Renderline itself uploaded',
    }),
  }),
);

/** Starts with selected models. With `on`, events identify them, and a manually started run selects all ready ones. */
const root: RootRole<z.output<typeof Config>> = {
  ...selectedModels,
  by: ['select', 'on'],
  providedResources: (config) =>
    config?.on ? ['model', 'ready model'] : selectedModels.providedResources(config),
  eventTrigger: (config) => toEventRules(config, overlapMs),
  list: (config, context) =>
    config.on
      ? createModelLister({ status: readyStatuses }, context)
      : selectedModels.list(config, context),
};

export const awaitModels = defineWait((context) => ({
  poller: modelStatusPoller(context.pollerContext),
  itemOf: ({ platformIds }) => platformIds.modelId ?? null,
  resultOf: toResult,
  timeout: { failure: modelFailures.MODEL_TIMEOUT, what: 'its model was not ready' },
}));

export const modelReady = defineNode({
  type: 'model_ready',
  summary: 'Hold each asset until its model is READY or APPROVED.',
  docs: `Polls 100 models per request and lets an asset continue as soon as its model is ready; a slow model
does not delay the others. FAILED, MODEL_REJECTED and MODEL_REQUIRED fail the asset with that status as the code.
\`timeout\` is how long one asset may take (default 30m).

With \`on: model.processed\` the pipeline starts with models as soon as the platform has processed them: \`renderline apply
FILE\` lets events start runs, and \`renderline webhooks\` receives the events. Models that Renderline itself uploaded, by any
pipeline of the workspace, start no run unless \`own: true\`. The periodic sweep finds models whose events were lost. If a person
starts the pipeline, it processes every model that is ready.`,
  example: `${takenModelsExample('until-ready')}
  - { id: ready, type: model_ready, parentIds: [take], timeout: 15m }
`,
  config: Config,
  mode: 'wait',
  waitsFor: 'the platform to process models',
  root,
  needs: ['model'],
  gives: ['ready model'],
  profile: { batch: 250, startToClose: '2m', timeout: '30m' },
  stage: 'source',
  recipe: [],
  route: () => 'polls up to 100 models per request, for all shards together',
  cost: {
    seconds: processingSeconds,
    // The wait polls once per second, with 100 ids per request.
    requests: ({ assets, pollSeconds }) => ({
      checkModelStatus: pollSeconds * Math.ceil(assets / 100),
    }),
  },
  run: awaitModels,
});

const idsOfDeletedModel: (keyof PlatformIds)[] = [
  'modelId',
  'colorway',
  'variants',
  'projectId',
  'jobId',
  'batchId',
  'outputs',
];

function toResult(
  asset: StepAsset,
  pollResult: ModelPollResult | null | undefined,
): AssetResult | null {
  const { key, platformIds } = asset;
  const { modelId = '(none)' } = platformIds;
  if (pollResult === null || platformIds.modelId === undefined)
    return failMissing(modelFailures.MODEL_NOT_FOUND, key, `model ${modelId}`, idsOfDeletedModel);
  if (pollResult === undefined || !isModelFinished(pollResult)) return null;
  if (pollResult.ready) return { key, outcome: 'done' };
  const message =
    pollResult.error ?? `model ${modelId} ended ${pollResult.status}; the platform gives no reason`;
  return fail(failureOf(pollResult.status), key, message, { forgetIds: idsOfDeletedModel });
}

function failureOf(status: string): KnownFailure {
  if (status === 'MODEL_REJECTED' || status === 'MODEL_REQUIRED') return modelFailures[status];
  return modelFailures.MODEL_FAILED;
}
