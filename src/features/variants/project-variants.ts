// The step of a `variant` node after the project: adds the chosen variants to an existing project.
import { z } from 'zod';
import { defineStep } from '../../engine/node-type.ts';
import { addVariants } from './add-variants.ts';

export const projectVariants = defineStep({
  type: 'project_variants',
  config: z.strictObject({}),
  mode: 'call',
  stage: 'composition',
  submits: true,
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'adds the chosen variants to each existing project, one request per project',
  cost: { requests: ({ assets }) => ({ addVariantsToProject: assets }) },
  run: addVariants,
});
