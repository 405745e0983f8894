// Node type that holds each asset until the platform has processed its model.
import { z } from 'zod';
import { readyStatuses } from '../../api/operations/models.ts';
import { checkEventFields, eventFields, eventRules } from '../../engine/discovery/event-fields.ts';
import { defineNode, type RootRole } from '../../engine/node-type.ts';
import { awaitModels } from './await-models.ts';
import { modelLister, SelectModels, selectedModels } from './selection/select-models.ts';

/** A sweep looks back this far, because the list is by creation, and a model may be processed long after that. */
const lookBackMs = 24 * 3_600_000;

/** Typical processing time of a model. */
const processingSeconds = 5;

const Config = checkEventFields(
  z.strictObject({
    select: SelectModels.optional(),
    ...eventFields('model.processed', {
      begins: 'models that the platform has processed',
      made: 'models that Renderline itself uploaded',
    }),
  }),
);

/** Starts with selected models, or with models named by events. Started by hand without `select`: every ready model. */
const root: RootRole<z.output<typeof Config>> = {
  ...selectedModels,
  by: ['select', 'on'],
  brings: (config) => (config?.on ? ['model', 'ready model'] : selectedModels.brings(config)),
  eventTrigger: (config) => eventRules(config, lookBackMs),
  list: (config, context) =>
    config.on
      ? modelLister({ status: readyStatuses }, context)
      : selectedModels.list(config, context),
};

export const modelReady = defineNode({
  type: 'model_ready',
  summary: 'Hold each asset until its model is READY or APPROVED.',
  docs: `Polls 100 models per request and lets an asset continue as soon as its model is ready; a slow model
does not delay the others. FAILED, MODEL_REJECTED and MODEL_REQUIRED fail the asset with that status as the code.
\`timeout\` is how long one asset may take (default 30m).

With \`on: model.processed\` the pipeline starts with models as soon as the platform has processed them: \`renderline apply
FILE\` lets events start runs, and \`renderline webhooks\` receives the events. Models that Renderline itself uploaded, by any
pipeline of the workspace, start no run unless \`own: true\`. The periodic sweep finds models whose events were lost. Started by
hand, the pipeline takes every model that is ready.`,
  example: `name: until-ready
parameters:
  folder: { type: path, required: true }
connectors:
  models: { type: local, path: "\${{ params.folder }}" }
records: models
nodes:
  - { id: take, type: connector_poll, config: { connector: models } }
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
    // One poll per second, 100 ids per request.
    requests: ({ assets, pollSeconds }) => ({
      checkModelStatus: pollSeconds * Math.ceil(assets / 100),
    }),
  },
  run: awaitModels,
});
