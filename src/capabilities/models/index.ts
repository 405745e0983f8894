import { defineCapability } from '../../machinery/capability.ts';
import { connectorPoll } from './connector-poll.ts';
import { modelFailures, tagFailures } from './failures.ts';
import { lostModels } from './lost-models.ts';
import { modelReady } from './model-ready.ts';

import { ownModels } from './own.ts';
import { modelRefs } from './refs.ts';

/** Uploads files as models and waits until they are processed. */
export const models = defineCapability({
  name: 'models',
  nodes: [connectorPoll, modelReady],
  lost: lostModels,
  // No read needed: `lost` checks all models in batches.
  reads: [['modelId', () => Promise.resolve('there')]],
  refs: modelRefs,
  failures: [modelFailures, tagFailures],
  own: ownModels,
});
