import { defineFeature } from '../../engine/feature.ts';
import { decorationNode } from './decoration.ts';
import { decorationCauses, decorationFailures } from './failures.ts';

/** Sets the decoration methods and inks of logos. */
export const decoration = defineFeature({
  name: 'decoration',
  nodes: [decorationNode],
  failures: [decorationFailures, decorationCauses],
});
