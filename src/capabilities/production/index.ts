import { defineCapability } from '../../machinery/capability.ts';
import { productionFailures } from './failures.ts';
import { productionSteps } from './production-steps.ts';

import { productionRefs } from './refs.ts';

/** Sheets for factories, captured from models. */
export const production = defineCapability({
  name: 'production',
  nodes: [],
  steps: productionSteps,
  reads: [
    [
      'sheet',
      (client, { sheet }, options) =>
        client.getProductionFileExport({ params: { exportId: sheet?.exportId ?? '' } }, options),
    ],
  ],
  refs: productionRefs,
  failures: [productionFailures],
});
