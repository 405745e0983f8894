import { defineCapability } from '../../machinery/capability.ts';
import { connectorPoll } from './connector-poll.ts';
import { modelFailures, tagFailures } from './failures.ts';
import { lostModels } from './lost-models.ts';
import { modelReady } from './model-ready.ts';

import { modelRefs } from './refs.ts';

/** Files become models, and models are waited for. */
export const models = defineCapability({
  name: 'models',
  nodes: [connectorPoll, modelReady],
  lost: lostModels,
  // Models are looked at in any case, many at once.
  reads: [['modelId', () => Promise.resolve('there')]],
  refs: modelRefs,
  failures: [modelFailures, tagFailures],
});
