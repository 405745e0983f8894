// The part of a `variant` node that comes after the project: its variants are added to that.
import { z } from 'zod';
import { defineStep } from '../../machinery/node-type.ts';
import { addVariants } from './add-variants.ts';

export const projectVariants = defineStep({
  type: 'project_variants',
  config: z.strictObject({}),
  mode: 'call',
  stage: 'composition',
  submits: true,
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'adds the chosen variants to each project that is there, a request a project',
  cost: { requests: ({ assets }) => ({ addVariantsToProject: assets }) },
  run: addVariants,
});
