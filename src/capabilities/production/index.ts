import { defineCapability } from '../../machinery/capability.ts';
import { productionSteps } from './production-steps.ts';

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
});
