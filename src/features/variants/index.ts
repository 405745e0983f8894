import { defineFeature } from '../../engine/feature.ts';
import { slotFailures } from '../slots/failures.ts';
import { colorwaySteps, projectVariants } from './colorway-steps.ts';
import { colorwayCauses, variantFailures } from './failures.ts';
import { variantIdRules } from './platform-ids.ts';
import { variant } from './variant.ts';

/** Creates colorways of models and chooses their variants. */
export const variants = defineFeature({
  name: 'variants',
  nodes: [variant],
  steps: [...colorwaySteps, projectVariants],
  existenceChecks: [
    [
      'colorway',
      (client, { colorway }, options) =>
        client.getColorwayBatch({ params: { batchId: colorway?.batchId ?? '' } }, options),
    ],
  ],
  idRules: variantIdRules,
  failures: [variantFailures, slotFailures, colorwayCauses],
});
