// A swap rule assigns a material to the slots of a model that it matches.
import { z } from 'zod';
import { isSameName } from '../../api/requests/name-comparison.ts';
import { type CellSource, findPosition } from '../../plan/grid.ts';
import type { Json } from '../../plan/types.ts';

export const materialName = z.string().min(1).max(200);

export const SwapRule = z
  .strictObject({
    matchText: z
      .string()
      .min(1)
      .describe("Text that is compared with the names of the model's slots."),
    matchMode: z
      .enum(['contains', 'exact'])
      .describe('`exact` matches the whole slot name, `contains` any part of it.'),
    material: materialName
      .optional()
      .describe('Name of a material in the library; the name must be unique.'),
    materialId: z.string().min(1).optional().describe('Id of a material in the library.'),
  })
  .refine((rule) => (rule.material === undefined) !== (rule.materialId === undefined), {
    message: 'a swap rule needs either material or materialId',
  });
export type SwapRule = z.output<typeof SwapRule>;

/** Rules as the payload of a position. The recipes of records depend on this form. */
const Payload = z.array(
  z.tuple([z.string(), SwapRule.shape.matchMode, z.string().nullable(), z.string().nullable()]),
);

/**
 * Returns the rules of a colorway as the payload of its position. Rules that match whole names are sorted, because their
 * order has no effect: a sorted table changes no recipe.
 */
export function toRulesPayload(rules: readonly SwapRule[]): Json {
  const isOrdered = rules.some(({ matchMode }) => matchMode === 'contains');
  const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const sortedRules = isOrdered
    ? rules
    : rules.toSorted((a, b) => compare(a.matchText.normalize('NFC'), b.matchText.normalize('NFC')));
  return sortedRules.map(({ matchText, matchMode, material, materialId }) => [
    matchText,
    matchMode,
    material ?? null,
    materialId ?? null,
  ]);
}

export function parseRulesPayload(payload: Json): SwapRule[] {
  return Payload.parse(payload).map(([matchText, matchMode, material, materialId]) => ({
    matchText,
    matchMode,
    ...(material === null ? {} : { material }),
    ...(materialId === null ? {} : { materialId }),
  }));
}

/** Returns the rules of an asset's colorway, or undefined if the asset has none. */
export function findSwapRules(source: CellSource): SwapRule[] | undefined {
  const position = findPosition(source, 'colorway');
  return position && parseRulesPayload(position.payload);
}

/** `exact` compares the whole name, ignoring the Unicode encoding. `contains` matches a part, and also ignores case. */
export function isSlotMatch(
  { matchText, matchMode }: Pick<SwapRule, 'matchText' | 'matchMode'>,
  name: string,
): boolean {
  if (matchMode === 'exact') return isSameName(name, matchText);
  const [wholeName = '', part = ''] = [name, matchText].map((text) =>
    text.normalize('NFC').toLowerCase(),
  );
  return wholeName.includes(part);
}
