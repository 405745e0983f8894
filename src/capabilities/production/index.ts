import { defineFeature } from '../../machinery/capability.ts';
import { productionFailures } from './failures.ts';
import { productionSteps } from './production-steps.ts';

import { readSheet } from './read-sheet.ts';
import { productionIdSlice } from './refs.ts';

/** Creates production files (PDF) from captures of models. */
export const production = defineFeature({
  name: 'production',
  nodes: [],
  steps: productionSteps,
  existenceChecks: [['sheet', readSheet, ['sheet']]],
  idRules: productionIdSlice,
  failures: [productionFailures],
});
