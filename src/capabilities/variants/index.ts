import { defineCapability } from '../../machinery/capability.ts';
import { colorwaySteps } from './colorway-steps.ts';
import { colorwayCauses, variantFailures } from './failures.ts';
import { projectVariants } from './project-variants.ts';
/** Creates colorways of models and chooses their variants. */
import { variantRefs } from './refs.ts';
import { variant } from './variant.ts';

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
  refs: variantRefs,
  failures: [variantFailures, colorwayCauses],
});
