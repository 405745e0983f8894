// Steps that a `variant` node with swap rules adds before it chooses variants.
import { z } from 'zod';
import { defineStep, type StepType } from '../../engine/node-type.ts';
import { slotNeeds } from '../slots/slot-demands.ts';
import { SwapRule } from '../slots/swap-rule.ts';
import { awaitColorways } from './await-colorways.ts';
import { createColorways, recordKnownVariants } from './colorway-batch.ts';
import { chooseColorways } from './grid/choose-colorways.ts';
import { materialRequests } from './materials/material-cost.ts';
import { resolveMaterials } from './materials/resolve-materials.ts';

/** Typical duration of a batch. */
const colorwaySeconds = 6;

export const variantsBefore = defineStep({
  type: 'variants_before',
  // The rules serve to find variants that already have the materials; colorways of a grid have their own rules.
  config: z.strictObject({ swapRules: z.array(SwapRule).min(1).optional() }),
  mode: 'call',
  stage: 'composition',
  callsHold: 'models',
  profile: { batch: 50, startToClose: '5m', timeout: '2h' },
  route: () => 'reads the variants of each model, to identify the new ones later',
  cost: { requests: ({ assets }) => ({ listModelVariants: assets }) },
  run: recordKnownVariants,
});

export const colorwayBatch = defineStep({
  type: 'colorway_batch',
  config: z.strictObject({ swapRules: z.array(SwapRule).min(1).optional() }),
  mode: 'call',
  stage: 'composition',
  submits: true,
  profile: { batch: 100, startToClose: '5m', timeout: '2h' },
  route: (_config, batch) => `one colorway batch for up to ${batch} models`,
  async lookUp({ swapRules = [] }, context) {
    const isPromised = ({ material }: SwapRule) =>
      material !== undefined && context.promisedMaterials?.has(material.normalize('NFC'));
    await resolveMaterials(
      swapRules.filter((rule) => !isPromised(rule)),
      context,
    );
  },
  cost: {
    byBatch: true,
    requests: ({ assets, batch }) => ({ createColorwayBatch: Math.ceil(assets / batch) }),
    once: materialRequests,
  },
  run: createColorways,
});

export const colorwayComplete = defineStep({
  type: 'colorway_complete',
  config: z.strictObject({}),
  mode: 'wait',
  stage: 'composition',
  waitsFor: 'the platform to create colorways',
  profile: { batch: 250, startToClose: '2m', timeout: '6h' },
  route: () => 'polls each batch in progress, for all shards together',
  cost: {
    seconds: colorwaySeconds,
    requests: ({ batchesOf, pollSeconds }) => ({
      getColorwayBatch: pollSeconds * batchesOf('colorway_batch'),
    }),
  },
  run: awaitColorways,
});

/** Finds the variant that was created for each colorway of a grid. */
export const colorwayVariant = defineStep({
  type: 'colorway_variant',
  config: z.strictObject({}),
  mode: 'call',
  stage: 'composition',
  callsHold: 'models',
  fileNeeds: () => slotNeeds(null),
  profile: { batch: 50, startToClose: '5m', timeout: '6h' },
  route: () => 'reads the variants of each model once and identifies them by their materials',
  cost: { requests: ({ assets }) => ({ listModelVariants: assets }) },
  run: chooseColorways,
});

export const colorwaySteps: readonly StepType[] = [
  variantsBefore,
  colorwayBatch,
  colorwayComplete,
  colorwayVariant,
];
