import { defineCapability } from '../../machinery/capability.ts';
import { colorwaySteps } from './colorway-steps.ts';
import { projectVariants } from './project-variants.ts';
import { variant } from './variant.ts';

/** Colorways are made of models, and variants chosen of what they have. */
export const variants = defineCapability({
  name: 'variants',
  nodes: [variant],
  steps: [...colorwaySteps, projectVariants],
  reads: [
    [
      'colorway',
      (client, { colorway }, options) =>
        client.getColorwayBatch({ params: { batchId: colorway?.batchId ?? '' } }, options),
    ],
  ],
});
