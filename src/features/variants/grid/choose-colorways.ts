// Finds the variant of each colorway of a grid. Existing variants are reused. New ones are found by their materials.

import { ResponseShapeError } from '../../../api/errors/errors.ts';
import { idOf, nameOf, UnreadableValue } from '../../../api/responses/response-values.ts';
import type { NodeContext } from '../../../engine/node-context.ts';
import { nullIfNotFound } from '../../../engine/null-if-not-found.ts';
import { callOptions } from '../../../engine/submit/call-outcome.ts';
import { readOrUnreadable } from '../../../engine/unreadable-response.ts';
import { fail } from '../../../failures/fail.ts';
import { findPosition } from '../../../plan/grid.ts';
import { groupBy } from '../../../plan/helpers/group-by.ts';
import type { AssetResult, StepAsset } from '../../../plan/types.ts';
import { mapBounded } from '../../../store/objects/map-bounded.ts';
import { modelKeyOf } from '../../../store/records/cell-keys.ts';
import { findSwapRules, isSlotMatch, type SwapRule } from '../../slots/swap-rule.ts';
import { variantFailures } from '../failures.ts';
import { resolveMaterials } from '../material-name-resolver.ts';
import { hasFingerprint } from '../variant-fingerprints.ts';
import { formatVariantNames, readVariants, toVariantIds, type Variant } from '../variant-list.ts';

export async function chooseColorways(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return runPerModel(assets, context, async (cells, variants) => {
    const wantedByCell = await Promise.all(
      cells.map((cell) => resolveColorwayMaterials(cell, context)),
    );
    const isNew = ({ id }: Variant) => cells.every((cell) => !isEarlierVariant(cell, id));
    const newVariants = variants.filter(isNew);
    const byMaterials = matchOneToOne(wantedByCell, newVariants);
    if (byMaterials) return cells.map((cell, index) => toChosenResult(cell, byMaterials[index]));
    if (!variants.some(({ materialBySlot }) => materialBySlot !== undefined)) {
      const inRun = await countColorwaysInRun(cells, context);
      return cells.map((cell) => toResultWithoutMaterials(cell, inRun, variants));
    }
    const slots = await readSlots(cells[0], context);
    return cells.map((cell, index) => {
      const cellVariants = variants.filter(({ id }) => !isEarlierVariant(cell, id));
      // Several variants with the same materials are the same colorway, so any of them can be used.
      const [match] = findMatchingVariants(wantedByCell[index] ?? [], cellVariants, slots);
      return match ? toChosenResult(cell, match) : toMissingResult(cell, variants);
    });
  });
}

/**
 * Finds the model's variants that have these colorways, by asset key. Assets without an entry need a batch.
 * @param rules swap rules of assets that are not cells of a grid
 */
export async function findExistingVariants(
  assets: readonly StepAsset[],
  variants: readonly Variant[],
  context: NodeContext,
  rules: readonly SwapRule[] = [],
): Promise<Map<string, Variant>> {
  const variantByKey = new Map<string, Variant>();
  const candidates: { asset: StepAsset; wanted: ColorwayMaterials; likely: Variant[] }[] = [];
  // Most models have no variant with swapped materials, so no material is looked up for them.
  if (!variants.some(hasMaterials)) return variantByKey;
  for (const asset of assets) {
    const wanted = await resolveColorwayMaterials(asset, context, rules);
    const likely = findPossibleVariants(wanted, variants);
    if (likely.length > 0) candidates.push({ asset, wanted, likely });
  }
  const [first] = candidates;
  if (first === undefined) return variantByKey;
  const slots = await readSlots(first.asset, context);
  for (const { asset, wanted, likely } of candidates) {
    const [match] = findMatchingVariants(wanted, likely, slots);
    if (match) variantByKey.set(asset.key, match);
  }
  return variantByKey;
}

/** Calls `task` per model with the cells that have no variant yet. If variants cannot be read, these cells fail. */
export async function runPerModel(
  assets: readonly StepAsset[],
  context: NodeContext,
  task: (cells: StepAsset[], variants: Variant[]) => Promise<AssetResult[]>,
): Promise<AssetResult[]> {
  const doneAssets = assets.filter(({ platformIds }) => platformIds.variants !== undefined);
  const openAssets = assets.filter(({ platformIds }) => platformIds.variants === undefined);
  const groups = [...groupBy(openAssets, ({ platformIds }) => platformIds.modelId ?? '').values()];
  const results = await mapBounded(
    groups,
    async (cells): Promise<AssetResult[]> => {
      const [first] = cells;
      if (first === undefined) return [];
      const variants = await readVariants(first, context);
      if (Array.isArray(variants)) return task(cells, variants);
      return cells.map(({ key }) => ({ ...variants, key }));
    },
    { signal: context.signal },
  );
  return [
    ...doneAssets.map(({ key }): AssetResult => ({ key, outcome: 'done' })),
    ...results.flat(),
  ];
}

async function resolveColorwayMaterials(
  { source }: StepAsset,
  context: NodeContext,
  ofStep: readonly SwapRule[] = [],
): Promise<ColorwayMaterials> {
  const rules = findSwapRules(source) ?? ofStep;
  const ids = await resolveMaterials(rules, context);
  return rules.map((rule, index) => ({ rule, materialId: ids[index] ?? '' }));
}

/** Counts the colorways of the model in the shard. With several, a new variant without materials cannot be assigned. */
async function countColorwaysInRun(
  cells: readonly StepAsset[],
  { store, shard }: NodeContext,
): Promise<number> {
  const model = cells[0] && modelKeyOf(cells[0]);
  const page = await store.runAssets.page(shard);
  const ofModel = [...cells, ...page.filter((asset) => modelKeyOf(asset) === model)];
  const names = ofModel.map(({ key, source }) => findPosition(source, 'colorway')?.name ?? key);
  return new Set(names).size;
}

/** Reads the slots of a model. Returns none if they cannot be read. */
async function readSlots(asset: StepAsset | undefined, context: NodeContext): Promise<Slot[]> {
  const { slot } = context.fields;
  const params = { modelId: asset?.platformIds.modelId ?? '' };
  const read = () => context.client.listDecalSlots({ params }, callOptions(context));
  const response = await readOrUnreadable(() => nullIfNotFound(read));
  if (response === null || response instanceof ResponseShapeError) return [];
  return (response.decalSlots ?? []).flatMap((record) => {
    const [id, name] = [idOf(record[slot.id]), nameOf(record[slot.name])];
    return id instanceof UnreadableValue || name instanceof UnreadableValue ? [] : [{ id, name }];
  });
}

function isEarlierVariant({ platformIds }: StepAsset, id: string): boolean {
  return hasFingerprint(platformIds.colorway?.before ?? '', id);
}

function toChosenResult({ key }: StepAsset, variant: Variant | undefined): AssetResult {
  return { key, outcome: 'done', platformIds: variant ? toVariantIds([variant]) : {} };
}

/** Fails the asset. The batch is now useless, so the next run creates another one. */
function toMissingResult({ key, source }: StepAsset, variants: readonly Variant[]): AssetResult {
  const message = `its colorway job is complete, but its model has no new variant with the materials of ${findPosition(source, 'colorway')?.name ?? ''}; the model has ${formatVariantNames(variants)}`;
  return fail(variantFailures.COLORWAY_NO_VARIANT, key, message, { forgetIds: ['colorway'] });
}

/**
 * Returns the result of a cell if variants do not show materials. A new variant can then be assigned only if it is the
 * only new variant and the run has only one colorway of the model.
 */
function toResultWithoutMaterials(
  cell: StepAsset,
  inRun: number,
  variants: readonly Variant[],
): AssetResult {
  const newVariants = variants.filter(({ id }) => !isEarlierVariant(cell, id));
  const [only] = newVariants;
  if (only === undefined) return toMissingResult(cell, variants);
  if (newVariants.length === 1 && inRun <= 1) return toChosenResult(cell, only);
  const message = `this run creates ${inRun} colorways of the model, but the platform does not show the materials of the new variants; name the fields that contain the materials in the renderline.yaml of the workers (fields: { variant: { materials: NAME, slot: NAME, material: NAME } }), or create one colorway per run; the model has ${formatVariantNames(variants)}`;
  return fail(variantFailures.COLORWAY_AMBIGUOUS, cell.key, message);
}

/** The swap rules of a colorway with the ids of their materials. */
export type ColorwayMaterials = readonly { rule: SwapRule; materialId: string }[];

export interface Slot {
  id: string;
  name: string;
}

/** Returns variants with at least one material, if all of their materials belong to the colorway. */
export function findPossibleVariants(
  wantedMaterials: ColorwayMaterials,
  variants: readonly Variant[],
): Variant[] {
  const ids = new Set(wantedMaterials.map(({ materialId }) => materialId));
  return variants.filter(
    (variant) =>
      hasMaterials(variant) && [...variant.materialBySlot.values()].every((id) => ids.has(id)),
  );
}

type VariantWithMaterials = Variant & Required<Pick<Variant, 'materialBySlot'>>;

function hasMaterials(variant: Variant): variant is VariantWithMaterials {
  return variant.materialBySlot !== undefined && variant.materialBySlot.size > 0;
}

/** Returns variants that have exactly the colorway's materials on the given slots of their model. */
export function findMatchingVariants(
  wantedMaterials: ColorwayMaterials,
  variants: readonly Variant[],
  slots: readonly Slot[],
): Variant[] {
  const expectedBySlot = new Map<string, string>();
  for (const slot of slots) {
    const first = wantedMaterials.find(({ rule }) => isSlotMatch(rule, slot.name));
    if (first) expectedBySlot.set(slot.id, first.materialId);
  }
  const expected = [...expectedBySlot];
  return variants
    .filter(hasMaterials)
    .filter(
      ({ materialBySlot }) =>
        materialBySlot.size === expected.length &&
        expected.every(([slot, material]) => materialBySlot.get(slot) === material),
    );
}

/** Returns one variant per colorway, or null if the materials alone do not identify them. */
export function matchOneToOne(
  wantedByCell: readonly ColorwayMaterials[],
  variants: readonly Variant[],
): Variant[] | null {
  const matches = wantedByCell.flatMap((wantedMaterials) => {
    const [only, ...others] = findPossibleVariants(wantedMaterials, variants);
    return only !== undefined && others.length === 0 ? [only] : [];
  });
  const ids = new Set(matches.map(({ id }) => id));
  return matches.length === wantedByCell.length && ids.size === matches.length ? matches : null;
}
