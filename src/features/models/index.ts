import { ownsById } from '../../engine/discovery/ownership-check.ts';
import { defineFeature } from '../../engine/feature.ts';
import { connectorPoll } from './connector-poll.ts';
import { modelFailures, tagFailures } from './failures.ts';
import { findLostModels } from './lost-models.ts';
import { modelReady } from './model-ready.ts';
import { modelIdSlice } from './platform-ids.ts';

/** Uploads files as models and waits until they are processed. */
export const models = defineFeature({
  name: 'models',
  nodes: [connectorPoll, modelReady],
  findLost: findLostModels,
  // Models need no single read, because `findLost` checks them in batches.
  existenceChecks: [['modelId', () => Promise.resolve('there')]],
  idRules: modelIdSlice,
  failures: [modelFailures, tagFailures],
  ownership: ownsById('model', 'modelId'),
});
