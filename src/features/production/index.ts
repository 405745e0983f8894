import { defineFeature } from '../../engine/feature.ts';
import { productionFailures } from './failures.ts';
import { productionIdSlice } from './platform-ids.ts';
import { productionSteps } from './production-steps.ts';
import { readSheet } from './read-sheet.ts';

/** Creates production files (PDF) from captures of models. */
export const production = defineFeature({
  name: 'production',
  nodes: [],
  steps: productionSteps,
  existenceChecks: [['sheet', readSheet, ['sheet']]],
  idRules: productionIdSlice,
  failures: [productionFailures],
});
