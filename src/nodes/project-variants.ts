// The part of a `variant` node that comes after the project: its variants are added to that.
import { z } from 'zod';
import { addVariants } from '../engine/variants/add-variants.ts';
import { defineStep } from './node-type.ts';

export const projectVariants = defineStep({
  type: 'project_variants',
  config: z.strictObject({}),
  mode: 'call',
  submits: true,
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'adds the chosen variants to each project that is there, a request a project',
  run: addVariants,
});
