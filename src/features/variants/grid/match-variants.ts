// Finds the variants of a model that have the materials of a colorway. Pure.
import { matchesSlot, type SwapRule } from '../../slots/swap-rule.ts';
import type { Variant } from '../variant-list.ts';

/** The swap rules of a colorway with the ids of their materials. */
export type ColorwayMaterials = readonly { rule: SwapRule; materialId: string }[];

export interface Slot {
  id: string;
  name: string;
}

/** Variants with at least one material, all of which belong to the colorway. */
export function findPossibleVariants(
  wantedMaterials: ColorwayMaterials,
  variants: readonly Variant[],
): Variant[] {
  const ids = new Set(wantedMaterials.map(({ materialId }) => materialId));
  return variants.filter(
    ({ materialBySlot }) =>
      materialBySlot !== undefined &&
      materialBySlot.size > 0 &&
      [...materialBySlot.values()].every((id) => ids.has(id)),
  );
}

/** Variants that have exactly the colorway's materials on the given slots of their model. */
export function findMatchingVariants(
  wantedMaterials: ColorwayMaterials,
  variants: readonly Variant[],
  slots: readonly Slot[],
): Variant[] {
  const wanted = new Map<string, string>();
  for (const slot of slots) {
    const first = wantedMaterials.find(({ rule }) => matchesSlot(rule, slot.name));
    if (first) wanted.set(slot.id, first.materialId);
  }
  return variants.filter(
    ({ materialBySlot }) =>
      materialBySlot !== undefined &&
      wanted.size > 0 &&
      materialBySlot.size === wanted.size &&
      [...wanted].every(([slot, material]) => materialBySlot.get(slot) === material),
  );
}

/** One variant per colorway, or null if the materials alone do not identify them. */
export function matchOneToOne(
  wantedByCell: readonly ColorwayMaterials[],
  variants: readonly Variant[],
): Variant[] | null {
  const found = wantedByCell.flatMap((wantedMaterials) => {
    const [only, ...others] = findPossibleVariants(wantedMaterials, variants);
    return only !== undefined && others.length === 0 ? [only] : [];
  });
  const ids = new Set(found.map(({ id }) => id));
  return found.length === wantedByCell.length && ids.size === found.length ? found : null;
}
