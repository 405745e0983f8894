import { defineCapability } from '../../machinery/capability.ts';
import { productionFailures } from './failures.ts';
import { productionSteps } from './production-steps.ts';

import { readSheet } from './read-sheet.ts';
import { productionRefs } from './refs.ts';

/** Creates production files (PDF) from captures of models. */
export const production = defineCapability({
  name: 'production',
  nodes: [],
  steps: productionSteps,
  reads: [['sheet', readSheet, ['sheet']]],
  refs: productionRefs,
  failures: [productionFailures],
});
