// `colorways` of a `variant` node: a list, a matrix of slots and materials, or a table on a connector.
import { z } from 'zod';
import {
  createNameField,
  findDuplicateName,
  findNameProblem,
} from '../../../engine/grid/position-name.ts';
import { connectorName, expression, tablePath } from '../../../language/fields.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import { materialName, SwapRule } from '../../slots/swap-rule.ts';
import type { ColorwaySpec } from './colorway-spec.ts';
import { maxColorways, ourHeadings } from './colorway-table.ts';

const Name = createNameField(
  'Name of the colorway, in keys and, as `{{ colorway }}`, in names of files.',
);

const slotName = z.string().min(1).max(200);
const matchMode = z
  .enum(['exact', 'contains'])
  .default('exact')
  .describe('Whether the slot name must equal the text or only contain it.');

const List = z
  .array(
    z.strictObject({
      name: Name,
      swapRules: z
        .array(SwapRule)
        .min(1)
        .max(100)
        .describe('Swap rules of the colorway: which material each slot gets.'),
      where: expression(
        'CEL condition that selects the models that get the colorway. Default: all models.',
      ).optional(),
    }),
  )
  .min(1)
  .max(maxColorways)
  .describe('Colorways as a list.');

const Matrix = z
  .strictObject({
    matrix: z
      .record(slotName, z.array(materialName).min(1).max(100))
      .describe('Materials of each slot: every combination is a colorway, named `Oak + Brass`.'),
    exclude: z
      .array(z.record(slotName, materialName))
      .max(1_000)
      .optional()
      .describe('Combinations to leave out; a slot that is not listed matches any material.'),
    matchMode,
    where: expression(
      'CEL condition that selects the models that get the colorways. Default: all models.',
    ).optional(),
  })
  .describe('Matrix: every combination of the materials of the slots is a colorway.');

const columnName = z.string().trim().min(1).max(200).optional();

const Columns = z
  .strictObject({
    model: columnName,
    tag: columnName,
    colorway: columnName,
    slot: columnName,
    material: columnName,
  })
  .refine(
    (columns) => {
      const names = Object.values({ ...ourHeadings, ...omitUndefined(columns) });
      return new Set(names.map((name) => name.toLowerCase())).size === names.length;
    },
    { message: 'gives two columns the same name' },
  )
  .describe('Column names in the table that differ from the defaults: `{ model: Style }`.');

const Table = z
  .strictObject({
    table: z
      .strictObject({
        connector: connectorName,
        path: tablePath
          .min(1)
          .max(500)
          .describe(
            'CSV or TSV with a line of column names, JSON Lines, or the first sheet of a workbook (XLSX).',
          ),
        matchMode,
        columns: Columns.optional(),
      })
      .describe(
        'Table with the columns `model` (key or glob) or `tag` (id), `colorway` (name), `slot` (name) and `material` (name, or `id:` and the id). At most 100,000 rows and 500 colorways.',
      ),
  })
  .describe('Table of colorways, read at the start of each run.');

export const Colorways = z.union([List, Matrix, Table]).superRefine((colorways, context) => {
  const names = namesOf(colorways);
  const refuse = (message: string) => context.addIssue({ code: 'custom', message });
  const duplicateName = findDuplicateName(names);
  if (duplicateName !== null) refuse(`two colorways are named "${duplicateName}"`);
  if (names.length > maxColorways)
    refuse(`creates ${names.length} colorways; the maximum is ${maxColorways}`);
  // Names in a list are checked by the schema of their own field.
  for (const name of 'matrix' in colorways ? names : []) {
    const refusal = findNameProblem(name);
    if (refusal === null) continue;
    refuse(`"${name}" cannot be the name of a colorway: it ${refusal}; write a list instead`);
    break;
  }
  if ('matrix' in colorways) {
    const unknownPair = (colorways.exclude ?? [])
      .flatMap(Object.entries)
      .find(([slot, material]) => colorways.matrix[slot]?.includes(material) !== true);
    if (unknownPair) refuse(`excludes ${unknownPair.join(': ')}, which is not in the matrix`);
    if (names.length === 0) refuse('leaves no colorway');
  }
});

function namesOf(colorways: z.output<typeof Colorways>): string[] {
  if (Array.isArray(colorways)) return colorways.map(({ name }) => name);
  return 'matrix' in colorways ? listCombinations(colorways).map(({ name }) => name) : [];
}

/** Converts a node's colorways to the form of the plan. @param tags tags whose models the pipeline starts with */
export function toColorwaySpec(
  colorways: z.output<typeof Colorways>,
  tags?: readonly string[],
): ColorwaySpec {
  if (Array.isArray(colorways)) {
    const list = colorways.map(({ name, swapRules, where = null }) => {
      return { name, rules: swapRules.map((rule) => omitUndefined(rule)), where };
    });
    return { from: 'list', colorways: list };
  }
  if ('matrix' in colorways) {
    const { where = null } = colorways;
    const list = listCombinations(colorways).map((combination) => ({ ...combination, where }));
    return { from: 'list', colorways: list };
  }
  const { columns, ...table } = colorways.table;
  return {
    from: 'table',
    ...table,
    ...(columns ? { columns: omitUndefined(columns) } : {}),
    ...(tags ? { tags: [...tags] } : {}),
  };
}

/** Maximum number of combinations that are combined with one more slot. */
const maxCandidates = 10 * maxColorways;

function listCombinations(config: z.output<typeof Matrix>): { name: string; rules: SwapRule[] }[] {
  const { matrix, exclude = [], matchMode: mode } = config;
  const isExcludedBy = (exclusion: Record<string, string>, pairs: readonly [string, string][]) =>
    Object.entries(exclusion).every(([slot, material]) =>
      pairs.some((pair) => pair[0] === slot && pair[1] === material),
    );
  const isIncluded = (pairs: readonly [string, string][]) =>
    !exclude.some((exclusion) => isExcludedBy(exclusion, pairs));
  let candidates: [string, string][][] = [[]];
  for (const [slot, materials] of Object.entries(matrix)) {
    if (candidates.length > maxColorways) candidates = candidates.filter(isIncluded);
    // Later exclusions may remove most candidates. Above the limit, stop, because the schema then reports too many.
    if (candidates.length > maxCandidates) break;
    candidates = candidates.flatMap((pairs) =>
      materials.map((material): [string, string][] => [...pairs, [slot, material]]),
    );
  }
  return candidates.filter(isIncluded).map((pairs) => ({
    name: pairs.map(([, material]) => material).join(' + '),
    rules: pairs.map(([matchText, material]) => ({ matchText, matchMode: mode, material })),
  }));
}
