// Steps that a `variant` node adds: those that create colorways, and the one that adds variants to existing projects.
import { z } from 'zod';
import type { Requests, StepWork } from '../../engine/cost/step-cost.ts';
import { defineStep, type StepType } from '../../engine/node-type.ts';
import { slotNeeds } from '../slots/slot-demands.ts';
import { rulesOf, SwapRule } from '../slots/swap-rule.ts';
import { addVariants } from './add-variants.ts';
import { awaitColorways } from './await-colorways.ts';
import { createColorways, recordKnownVariants } from './colorway-batch.ts';
import { chooseColorways } from './grid/choose-colorways.ts';
import { resolveMaterials } from './material-name-resolver.ts';

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

/** Counts the requests of a run: one search per name, and one status request per 100 materials. */
function materialRequests({ config, found }: StepWork): Requests {
  const given = config['swapRules'];
  const rules: MaterialChoice[] = [
    ...(Array.isArray(given) ? given.flatMap(ruleOf) : []),
    ...found.flatMap(({ source }) => rulesOf(source) ?? []),
  ];
  const names = new Set(rules.flatMap(({ material }) => material ?? []));
  const ids = new Set(rules.flatMap(({ materialId }) => materialId ?? []));
  return {
    ...(names.size > 0 ? { listMaterials: names.size } : {}),
    checkMaterialStatus: Math.ceil((names.size + ids.size) / 100),
  };
}

type MaterialChoice = Partial<Pick<SwapRule, 'material' | 'materialId'>>;

function ruleOf(rule: unknown): MaterialChoice[] {
  return typeof rule === 'object' && rule !== null ? [rule] : [];
}
