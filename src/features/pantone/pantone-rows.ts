// The Pantone materials of a node: from its configuration, or from a table.

import { z } from 'zod';
import { formatIssue } from '../../api/format-issue.ts';
import type { Connector } from '../../connectors/connector.ts';
import { ConnectorError } from '../../connectors/connector-error.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { connectorName, tablePath } from '../../language/fields.ts';
import { normalizePantoneCode, pantoneCodeForm } from '../../pantone/pantone-code.ts';
import { limitLines } from '../../plan/helpers/limit-lines.ts';
import { findFormulaProblem } from '../../tables/formula-error.ts';
import { findColumnIndex, readTable } from '../../tables/read-table.ts';
import { formatMissingColumns, TableError } from '../../tables/table-error.ts';
import type { TableFile } from '../../tables/table-reader.ts';
import { pantoneCauses } from './failures.ts';

const maxMaterials = 500;
const maxNameLength = 200;
const tableBytes = 1_000_000;
const maxProblemsShown = 5;

const columnName = z.string().trim().min(1).max(200);

const Material = z.strictObject({
  name: z
    .string()
    .trim()
    .min(1)
    .max(maxNameLength)
    .describe('Name of the material in the library.'),
  code: z
    .string()
    .refine((code) => normalizePantoneCode(code) !== undefined, {
      message: pantoneCodeForm,
    })
    .describe('Pantone code, such as 186 C or 19-4052 TCX.'),
  hex: z
    .string()
    .regex(/^#[0-9a-f]{6}$/i, 'must be a colour as #RRGGBB')
    .describe('Colour that the material shows, as #RRGGBB.'),
});

export const PantoneConfig = z
  .strictObject({
    materials: z
      .array(Material)
      .min(1)
      .max(maxMaterials)
      .optional()
      .describe('List of the materials.'),
    table: z
      .strictObject({
        connector: connectorName,
        path: tablePath.min(1).max(500),
        columns: z
          .strictObject({
            name: columnName.default('name'),
            code: columnName.default('code'),
            hex: columnName.default('hex'),
          })
          .default({ name: 'name', code: 'code', hex: 'hex' })
          .describe('Column names in the table that differ from the defaults.'),
      })
      .optional()
      .describe('A table with the columns `name`, `code` and `hex`; at most 500 rows.'),
    update: z
      .boolean()
      .default(false)
      .describe('Sets the Pantone of the pipeline on existing library materials of the same name.'),
  })
  .refine(({ materials, table }) => (materials === undefined) !== (table === undefined), {
    message: 'must have either materials or table',
  })
  .superRefine(({ materials = [] }, context) => {
    const duplicateName = findRepeatedName(materials);
    if (duplicateName !== null)
      context.addIssue({ code: 'custom', message: `two materials are named "${duplicateName}"` });
  });

export type PantoneOptions = z.output<typeof PantoneConfig>;

export interface PantoneRow {
  name: string;
  /** Pantone code in the form that the platform stores. */
  code: string;
  /** Colour as `#rrggbb`, in lower case. */
  hex: string;
}

/** @throws RunCauseError for a table that cannot be read, with the first invalid lines */
export async function readPantoneRows(
  { materials, table }: Pick<PantoneOptions, 'materials' | 'table'>,
  { getConnector }: { getConnector: (name: string) => Connector },
): Promise<PantoneRow[]> {
  if (table === undefined) return (materials ?? []).map(toRow);
  const { connector, path, columns } = table;
  try {
    const bytes = await getConnector(connector).read(path, tableBytes);
    return checkRows(await readNamedColumns({ bytes, path }, columns));
  } catch (error) {
    const isOfTable = error instanceof TableError;
    if (!isOfTable && !(error instanceof ConnectorError && error.isOfOneFile)) throw error;
    const message = `${path} of ${connector}: ${error.message}`;
    throw new RunCauseError(pantoneCauses.PANTONE_TABLE, message);
  }
}

/** @throws TableError */
function checkRows(rows: readonly NamedRow[]): PantoneRow[] {
  if (rows.length === 0) throw new TableError('has no rows');
  const problems: string[] = [];
  const pantoneRows = rows.flatMap(({ line, values }): PantoneRow[] => {
    const wrong = Object.entries(values).find(([, text]) => findFormulaProblem(text) !== null);
    if (wrong !== undefined) {
      problems.push(`line ${line}: the ${wrong[0]} ${findFormulaProblem(wrong[1])}`);
      return [];
    }
    const result = Material.safeParse(values);
    if (result.success) return [toRow(result.data)];
    const [issue] = result.error.issues;
    const column = String(issue?.path[0] ?? 'row');
    problems.push(
      `line ${line}: the ${column} "${values[column]}" ${issue ? formatIssue(issue) : 'is not valid'}`,
    );
    return [];
  });
  const duplicateName = findRepeatedName(pantoneRows);
  if (duplicateName !== null) problems.push(`two rows are named "${duplicateName}"`);
  if (problems.length === 0) return pantoneRows;
  const formatRest = (rest: number) => `and ${rest} more`;
  throw new TableError(limitLines(problems, maxProblemsShown, formatRest).join('; '));
}

function toRow({ name, code, hex }: z.output<typeof Material>): PantoneRow {
  const normalizedCode = normalizePantoneCode(code) ?? code;
  return { name: name.normalize('NFC'), code: normalizedCode, hex: hex.toLowerCase() };
}

function findRepeatedName(rows: readonly { name: string }[]): string | null {
  const seenNames = new Set<string>();
  for (const { name } of rows) {
    const plain = name.normalize('NFC');
    if (seenNames.has(plain)) return name;
    seenNames.add(plain);
  }
  return null;
}

interface NamedRow {
  /** Line in the file, starting at 1. */
  line: number;
  values: Record<string, string>;
}

/**
 * @param columns headings in the file, by the name of the column in the result
 * @throws TableError for a missing column, more than `maxMaterials` rows, or a file that is not a table
 */
async function readNamedColumns(
  file: TableFile,
  columns: Readonly<Record<keyof PantoneRow, string>>,
): Promise<NamedRow[]> {
  const ownHeadings = Object.values(columns);
  const rows: NamedRow[] = [];
  await readTable(file, {
    maxRows: maxMaterials,
    maxCells: maxMaterials * 1_000,
    choose(headings) {
      const indexes = ownHeadings.map((heading) => findColumnIndex(heading, headings));
      const missingColumns = ownHeadings.filter((_, index) => indexes[index] === -1);
      if (missingColumns.length === 0) return indexes;
      throw new TableError(formatMissingColumns(missingColumns, headings));
    },
    take({ line, values }) {
      const texts = Object.keys(columns).map((name, index) => [name, textOf(values[index])]);
      rows.push({ line, values: Object.fromEntries(texts) });
    },
  });
  return rows;
}

/** Returns an empty string for a value that is not a string, so that the row is rejected as incomplete. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
