// Finds the variant of each colorway of a grid. Existing variants are reused; new ones are identified by their materials.
import { idOf, nameOf, Unreadable } from '../../../api/answer-values.ts';
import { ResponseShapeError } from '../../../api/errors.ts';
import { fail } from '../../../failures/fail.ts';
import type { NodeContext } from '../../../machinery/node-context.ts';
import { nullWhenGone } from '../../../machinery/null-when-gone.ts';
import { orUnreadable } from '../../../machinery/unreadable.ts';
import { groupBy } from '../../../plan/group-by.ts';
import type { AssetResult, StepAsset, SwapRule } from '../../../plan/types.ts';
import { mapBounded } from '../../../store/objects/bounded.ts';
import { modelKeyOf } from '../../../store/records/asset-names.ts';
import { variantFailures } from '../failures.ts';
import { materialsOf } from '../materials-of.ts';
import { namesOf, refsOf, type Variant, variantsOf } from '../variant-list.ts';
import { isMarked } from '../variant-marks.ts';
import { type Dress, mayWear, oneEach, type Slot, wear } from './which-variant.ts';

export async function chooseColorways(
  _config: unknown,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  return eachModel(assets, context, async (cells, variants) => {
    const dresses = await Promise.all(cells.map((cell) => dressOf(cell, context)));
    const fresh = variants.filter(({ id }) => cells.every((cell) => !isOld(cell, id)));
    const byMaterials = oneEach(dresses, fresh);
    if (byMaterials) return cells.map((cell, at) => chosen(cell, byMaterials[at]));
    if (!variants.some(({ worn }) => worn !== undefined)) {
      const inRun = await colorwaysInRun(cells, context);
      return cells.map((cell) => unshown(cell, inRun, variants));
    }
    const slots = await slotsOf(cells[0], context);
    return cells.map((cell, at) => {
      const own = variants.filter(({ id }) => !isOld(cell, id));
      // Several variants with the same materials are the same colorway, so any of them will do.
      const [found] = wear(dresses[at] ?? [], own, slots);
      return found ? chosen(cell, found) : missing(cell, variants);
    });
  });
}

/**
 * Existing variants of the model that already have these colorways, by asset key. The others need a batch.
 * @param rules swap rules of assets that are not cells of a grid
 */
export async function adopted(
  assets: readonly StepAsset[],
  variants: readonly Variant[],
  context: NodeContext,
  rules: readonly SwapRule[] = [],
): Promise<Map<string, Variant>> {
  const there = new Map<string, Variant>();
  const wishes: { asset: StepAsset; dress: Dress; likely: Variant[] }[] = [];
  // Most models have no variant with swapped materials; for those no material is looked up.
  if (!variants.some(({ worn }) => worn !== undefined && worn.size > 0)) return there;
  for (const asset of assets) {
    const dress = await dressOf(asset, context, rules);
    const likely = mayWear(dress, variants);
    if (likely.length > 0) wishes.push({ asset, dress, likely });
  }
  const [first] = wishes;
  if (first === undefined) return there;
  const slots = await slotsOf(first.asset, context);
  for (const { asset, dress, likely } of wishes) {
    const [found] = wear(dress, likely, slots);
    if (found) there.set(asset.key, found);
  }
  return there;
}

/** Calls `work` once per model with its variants. If the variants cannot be read, all cells of the model fail. */
export async function eachModel(
  assets: readonly StepAsset[],
  context: NodeContext,
  work: (cells: StepAsset[], variants: Variant[]) => Promise<AssetResult[]>,
): Promise<AssetResult[]> {
  const done = assets.filter(({ refs }) => refs.variants !== undefined);
  const open = assets.filter(({ refs }) => refs.variants === undefined);
  const groups = [...groupBy(open, ({ refs }) => refs.modelId ?? '').values()];
  const results = await mapBounded(
    groups,
    async (cells): Promise<AssetResult[]> => {
      const [first] = cells;
      if (first === undefined) return [];
      const variants = await variantsOf(first, context);
      if (Array.isArray(variants)) return work(cells, variants);
      return cells.map(({ key }) => ({ ...variants, key }));
    },
    { signal: context.signal },
  );
  return [...done.map(({ key }): AssetResult => ({ key, outcome: 'done' })), ...results.flat()];
}

async function dressOf(
  { source }: StepAsset,
  context: NodeContext,
  ofStep: readonly SwapRule[] = [],
): Promise<Dress> {
  const { rules = ofStep } = source.colorway ?? {};
  const ids = await materialsOf(rules, context);
  return rules.map((rule, at) => ({ rule, materialId: ids[at] ?? '' }));
}

/** Number of colorways of the model in this run. With several, a new variant without materials cannot be assigned. */
async function colorwaysInRun(
  cells: readonly StepAsset[],
  { store, shard }: NodeContext,
): Promise<number> {
  const model = cells[0] && modelKeyOf(cells[0]);
  const page = await store.manifest.page(shard);
  return Math.max(cells.length, page.filter((asset) => modelKeyOf(asset) === model).length);
}

/** The slots of a model; empty if they cannot be read. */
async function slotsOf(
  asset: StepAsset | undefined,
  { client, requests, signal, fields }: NodeContext,
): Promise<Slot[]> {
  const params = { modelId: asset?.refs.modelId ?? '' };
  const options = { priority: 'create' as const, scope: requests, signal };
  const found = await orUnreadable(() =>
    nullWhenGone(() => client.listDecalSlots({ params }, options)),
  );
  if (found === null || found instanceof ResponseShapeError) return [];
  return (found.decalSlots ?? []).flatMap((record) => {
    const [id, name] = [idOf(record[fields.slot.id]), nameOf(record[fields.slot.name])];
    return id instanceof Unreadable || name instanceof Unreadable ? [] : [{ id, name }];
  });
}

function isOld({ refs }: StepAsset, id: string): boolean {
  return isMarked(refs.colorway?.before ?? '', id);
}

function chosen({ key }: StepAsset, variant: Variant | undefined): AssetResult {
  return { key, outcome: 'done', refs: variant ? refsOf([variant]) : {} };
}

/** Fails the asset. The batch is useless now; the next run creates another. */
function missing({ key, source }: StepAsset, variants: readonly Variant[]): AssetResult {
  const message = `its colorway job is complete, but its model has no new variant that wears the materials of ${source.colorway?.name ?? ''}; ${namesOf(variants)}`;
  return fail(variantFailures.COLORWAY_NO_VARIANT, key, message, { forget: ['colorway'] });
}

/** If records of variants show no materials, a new variant can be assigned only if there is exactly one. */
function unshown(cell: StepAsset, inRun: number, variants: readonly Variant[]): AssetResult {
  const fresh = variants.filter(({ id }) => !isOld(cell, id));
  const [only] = fresh;
  if (only === undefined) return missing(cell, variants);
  if (fresh.length === 1 && inRun <= 1) return chosen(cell, only);
  const message = `this run makes ${inRun} colorways of its model, and the records of its new variants do not show which materials they wear; name the field that does in the workers' renderline.yaml (fields: { variant: { materials: NAME, slot: NAME, material: NAME } }), or make one colorway in each run; ${namesOf(variants)}`;
  return fail(variantFailures.COLORWAY_AMBIGUOUS, cell.key, message);
}
