// Holds each asset until the platform has processed its model.
import { z } from 'zod';
import { awaitModels } from '../engine/await-models.ts';
import { defineNode } from './node-type.ts';
import { SelectModels, selectedModels } from './select.ts';

const Config = z.strictObject({ select: SelectModels.optional() });

export const modelReady = defineNode({
  type: 'model_ready',
  summary: 'Hold each asset until its model is READY or APPROVED.',
  docs: `Asks for 100 models a request and lets an asset go on the moment its model is ready; one slow model
holds back nobody. FAILED, MODEL_REJECTED and MODEL_REQUIRED fail the asset with that status as the code.
\`timeout\` is how long one asset may take (default 30m).`,
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
  root: selectedModels,
  needs: ['model'],
  gives: ['ready model'],
  profile: { batch: 250, startToClose: '2m', timeout: '30m' },
  recipe: [],
  route: () => 'looks at up to 100 models a request, for all shards together',
  run: awaitModels,
});
