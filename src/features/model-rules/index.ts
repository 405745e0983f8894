import { defineFeature } from '../../engine/feature.ts';
import { check } from './check.ts';
import { ruleFailures } from './failures.ts';

/** Rules that models must keep before anything is uploaded and paid for. */
export const modelRules = defineFeature({
  name: 'model-rules',
  nodes: [check],
  failures: [ruleFailures],
});
