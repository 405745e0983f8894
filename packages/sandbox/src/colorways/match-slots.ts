// Matches the swap rules of a batch with the slots of a model.
import type { SwapRule } from 'renderline/api/operations/colorways';
import type { Slot } from '../variants/variants.ts';

/** `exact` compares the whole name with case. `contains` finds a part without case, like the API's searches. */
export function isSlotMatch({ matchMode, matchText }: SwapRule, { name }: Slot): boolean {
  if (matchMode === 'exact') return name === matchText;
  return name.toLowerCase().includes(matchText.toLowerCase());
}

/** Returns the material id by slot id. If several rules match a slot, the first one counts. */
export function matchSlots(
  rules: readonly SwapRule[],
  slots: readonly Slot[],
): Readonly<Record<string, string>> {
  const swaps: Record<string, string> = {};
  for (const slot of slots) {
    const rule = rules.find((candidate) => isSlotMatch(candidate, slot));
    if (rule) swaps[slot.id] = rule.materialId;
  }
  return swaps;
}

/** Finds the names in exact rules that several slots share. All slots with these names are swapped. */
export function findAmbiguousNames(rules: readonly SwapRule[], slots: readonly Slot[]): string[] {
  const exactRules = rules.filter(({ matchMode }) => matchMode === 'exact');
  const countSlots = (text: string) => slots.filter(({ name }) => name === text).length;
  return [...new Set(exactRules.map(({ matchText }) => matchText))].filter(
    (text) => countSlots(text) > 1,
  );
}
