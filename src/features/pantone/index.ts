import { defineFeature } from '../../engine/feature.ts';
import { pantoneCauses } from './failures.ts';
import { pantoneNode } from './pantone.ts';

/** Creates library materials that render as Pantone colours. */
export const pantone = defineFeature({
  name: 'pantone',
  nodes: [pantoneNode],
  failures: [pantoneCauses],
});
