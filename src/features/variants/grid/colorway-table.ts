// Reads the table of a colorway grid: rows of model or tag, colorway, slot and material.
import { findNameProblem } from '../../../engine/grid/position-name.ts';
import { limitLines } from '../../../plan/helpers/limit-lines.ts';
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import { createCellKey } from '../../../store/records/cell-keys.ts';
import { findFormulaProblem } from '../../../tables/formula-error.ts';
import { findColumnIndex, readTable as readRows } from '../../../tables/read-table.ts';
import {
  formatHeadingPlace,
  formatMissingColumns,
  TableError,
} from '../../../tables/table-error.ts';
import type { ReadRow, TableFile, TableHeadings } from '../../../tables/table-reader.ts';

export interface TableRow {
  /** Key of a model, or a glob that matches keys. Empty if the row uses a tag. */
  model: string;
  /** Id of a tag of models. Absent if the row uses a model. */
  tag?: string;
  colorway: string;
  slot: string;
  /** Name of a material, or `id:` followed by its id. */
  material: string;
  /** Line in the file, starting at 1. */
  line: number;
}

const subjectColumns = ['model', 'tag'] as const;
const requiredColumns = ['colorway', 'slot', 'material'] as const;
export const maxRows = 100_000;
export const maxCells = 2_000_000;
/** Maximum number of colorways in a table, and in a list or a matrix of the pipeline file. */
export const maxColorways = 500;
const maxProblemsShown = 5;
export const maxCellValueLength = 500;

const ourColumns = [...subjectColumns, ...requiredColumns];
type Column = (typeof ourColumns)[number];
/** Names of the columns in the file. */
type Headings = Readonly<Record<Column, string>>;
export const ourHeadings: Headings = {
  model: 'model',
  tag: 'tag',
  colorway: 'colorway',
  slot: 'slot',
  material: 'material',
};

/**
 * Reads and checks the rows.
 * @param columns names in the file that differ from the defaults
 * @throws TableError with lines
 */
export async function readColorwayTable(
  file: TableFile,
  columns: { readonly [column in Column]?: string | undefined } = {},
): Promise<TableRow[]> {
  const headings = { ...ourHeadings, ...omitUndefined(columns) };
  let presentColumns: Column[] = [];
  const choose = (tableHeadings: TableHeadings) => {
    const indexByColumn = mapColumns(tableHeadings, headings);
    presentColumns = [...indexByColumn.keys()];
    return [...indexByColumn.values()];
  };
  const rows: ReadRow[] = [];
  await readRows(file, { choose, take: (row) => rows.push(row), maxRows, maxCells });
  const problems: string[] = [];
  const lineByCell = new Map<string, number>();
  const table = rows.flatMap(({ line, values }): TableRow[] => {
    const valueByColumn = Object.fromEntries(
      presentColumns.map((column, index) => [column, values[index]]),
    );
    const row = toTableRow(valueByColumn, line, headings);
    if (typeof row === 'string') {
      problems.push(`line ${line}: ${row}`);
      return [];
    }
    const { tag, model, colorway, slot } = row;
    const cellKeyText = JSON.stringify([tag ?? null, model, colorway, slot]);
    const earlierLine = lineByCell.get(cellKeyText);
    if (earlierLine !== undefined) {
      const cell = `"${slot}" of ${tag === undefined ? model : `tag ${tag}`} in ${colorway}`;
      problems.push(`line ${line}: ${cell} already gets a material in line ${earlierLine}`);
    }
    lineByCell.set(cellKeyText, line);
    return [row];
  });
  if (problems.length === 0 && table.length === 0) throw new TableError('has no rows');
  const names = new Set(table.map(({ colorway }) => colorway));
  const byKey = new Map<string, string>();
  for (const { colorway, line } of table) {
    const other = byKey.get(createCellKey('', colorway)) ?? colorway;
    byKey.set(createCellKey('', colorway), other);
    if (other !== colorway)
      problems.push(
        `line ${line}: "${colorway}" and "${other}" result in the same key; rename one of them`,
      );
  }
  if (names.size > maxColorways)
    problems.unshift(`has ${names.size} colorways; the maximum is ${maxColorways}`);
  if (problems.length === 0) return table;
  const formatRest = (rest: number) => `and ${rest} more`;
  throw new TableError(limitLines(problems, maxProblemsShown, formatRest).join('; '));
}

function toTableRow(
  values: Readonly<Record<string, unknown>>,
  line: number,
  headings: Headings,
): TableRow | string {
  const row: Record<string, string> = {};
  const givenSubjects = subjectColumns.filter((column) => !isEmptyCell(values[column]));
  if (givenSubjects.length > 1) return 'has both a model and a tag; remove one of them';
  const [subject = 'tag' in values && !('model' in values) ? 'tag' : 'model'] = givenSubjects;
  for (const column of [subject, ...requiredColumns]) {
    const value = values[column];
    const heading = `"${headings[column]}"`;
    if (value === undefined) return `has no ${heading}`;
    if (typeof value !== 'string') return `${heading} does not contain text`;
    const text = value.trim();
    if (text === '') return `${heading} is empty`;
    const problem = findFormulaProblem(text);
    if (problem !== null) return `${heading} ${problem}`;
    if (text.length > maxCellValueLength)
      return `${heading} is longer than ${maxCellValueLength} characters`;
    row[column] = text.normalize('NFC');
  }
  const { model = '', tag, colorway = '', slot = '', material = '' } = row;
  const refusal = findNameProblem(colorway);
  if (refusal !== null) return `"${colorway}" cannot be the name of a colorway: it ${refusal}`;
  return { model, ...(tag === undefined ? {} : { tag }), colorway, slot, material, line };
}

function isEmptyCell(value: unknown): boolean {
  return typeof value === 'string' ? value.trim() === '' : value == null;
}

/** Returns the table's columns by index. @throws TableError for a missing column, except in JSON Lines, or a duplicate */
function mapColumns(tableHeadings: TableHeadings, headings: Headings): Map<Column, number> {
  const indexByColumn = new Map<Column, number>();
  for (const column of ourColumns) {
    const index = findColumnIndex(headings[column], tableHeadings);
    if (index !== -1) indexByColumn.set(column, index);
  }
  if (tableHeadings.line === null) return indexByColumn;
  const missingHeadings: string[] = requiredColumns
    .filter((column) => !indexByColumn.has(column))
    .map((column) => headings[column]);
  if (!subjectColumns.some((column) => indexByColumn.has(column)))
    missingHeadings.unshift(`${headings.model} (or ${headings.tag})`);
  if (missingHeadings.length === 0) return indexByColumn;
  const problem = formatMissingColumns(missingHeadings, tableHeadings);
  throw new TableError(`${formatHeadingPlace(tableHeadings)}${problem}`);
}
