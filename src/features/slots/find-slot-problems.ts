// Compares swap rules and variant names with the content of a model's file. Pure.

import { isSameName } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { isSlotMatch, type SwapRule } from './swap-rule.ts';

/** Selects the variants of a model for a node. */
export type VariantChoice = 'new' | 'all' | { names: readonly string[] } | { where: string };

/** Slots and variants that a node expects in a model. */
export interface VariantExpectation {
  node: string;
  swapRules: readonly Pick<SwapRule, 'matchText' | 'matchMode'>[];
  choose: VariantChoice | null;
  /** True if every rule must match a slot, because the rules apply only to this model. */
  isEachNeeded?: boolean;
}

export interface SlotFinding {
  node: string;
  code: 'COLORWAY_NO_SLOT' | 'SLOT_AMBIGUOUS' | 'VARIANT_NOT_FOUND' | 'VARIANT_AMBIGUOUS';
  message: string;
  /** Slot name in the rule. Absent if the finding concerns several rules. */
  slot?: string;
}

const maxNamesShown = 8;
/** Longer names of slots and variants are cut in messages, because a file may contain names of megabytes. */
const maxNameLength = 120;

/** @param file slots of the file in `materials` (null for an unnamed slot), and its variants */
export function findSlotProblems(
  { node, swapRules, choose, isEachNeeded = false }: VariantExpectation,
  { materials, variants }: { materials: readonly (string | null)[]; variants: readonly string[] },
): SlotFinding[] {
  const slots = materials.filter((name) => name !== null);
  const findings: SlotFinding[] = [];
  const countMatches = (rule: (typeof swapRules)[number]) =>
    slots.filter((slot) => isSlotMatch(rule, slot)).length;
  const unmatchedRules = swapRules.filter((rule) => countMatches(rule) === 0);
  if (isEachNeeded) {
    for (const { matchText } of unmatchedRules) {
      const message = `no slot "${matchText}"; ${formatHint(matchText, slots)}`;
      findings.push({ node, code: 'COLORWAY_NO_SLOT', message, slot: matchText });
    }
  } else if (swapRules.length > 0 && unmatchedRules.length === swapRules.length) {
    const renameHints = unmatchedRules.flatMap(
      (rule) => suggestRenamed(rule.matchText, slots) ?? [],
    );
    const hints = [...renameHints, `its slots are ${formatNames(slots)}`].join('; ');
    const message = `no slot matches a swap rule; ${hints}`;
    findings.push({ node, code: 'COLORWAY_NO_SLOT', message });
  }
  for (const rule of swapRules) {
    const matchCount = rule.matchMode === 'exact' ? countMatches(rule) : 0;
    if (matchCount < 2) continue;
    const message = `${matchCount} slots are named "${rule.matchText}": the material is applied to all`;
    findings.push({ node, code: 'SLOT_AMBIGUOUS', message, slot: rule.matchText });
  }
  // Swap rules create variants that the file does not have, so names are checked only if there are no rules.
  if (choose !== null && typeof choose === 'object' && 'names' in choose && swapRules.length === 0)
    findings.push(...nameFindings(node, choose.names, variants));
  return findings;
}

/** Checks only exact names, because a glob may match variants that were added on the platform. */
function nameFindings(
  node: string,
  names: readonly string[],
  variants: readonly string[],
): SlotFinding[] {
  return names.flatMap((name): SlotFinding[] => {
    const matchCount = variants.filter((variant) => isSameName(variant, name)).length;
    if (matchCount > 1) {
      const message = `${matchCount} variants of the file are named "${name}"`;
      return [{ node, code: 'VARIANT_AMBIGUOUS', message }];
    }
    if (matchCount === 1 || /[*?[{(!+@]/.test(name)) return [];
    const hint = suggestName(name, variants) ?? `it has ${formatNames(variants)}`;
    const message = `the file has no variant "${name}"; ${hint}`;
    return [{ node, code: 'VARIANT_NOT_FOUND', message }];
  });
}

function formatHint(name: string, slots: readonly string[]): string {
  const slotList = `its slots are ${formatNames(slots)}`;
  return suggestRenamed(name, slots) ?? suggestName(name, slots) ?? slotList;
}

/** Suggests a slot to whose name an exporter added a number (`Fabric.001`). Returns null if there is none. */
function suggestRenamed(name: string, slots: readonly string[]): string | null {
  const plain = (text: string) =>
    text
      .normalize('NFC')
      .toLowerCase()
      .replace(/[\s._-]+\(?\d{1,3}\)?$/, '');
  const isRenamed = (slot: string) =>
    plain(slot) === plain(name) &&
    plain(name) !== '' &&
    !isSameName(slot.toLowerCase(), name.toLowerCase());
  const renamedSlots = slots.filter(isRenamed);
  if (renamedSlots.length === 0) return null;
  return `the model has ${formatNames(renamedSlots)}: 3D programs can change the number at the end of a slot name on export; rename the slot, or correct matchText`;
}

function formatNames(names: readonly string[]): string {
  const quoted = [...new Set(names)].map((name) => `"${name.slice(0, maxNameLength)}"`);
  return formatFirst(quoted, maxNamesShown) || 'none with a name';
}
