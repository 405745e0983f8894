// The table of a colorway grid: rows of model or tag, colorway, slot and material. Pure.
import { CsvError, parse } from 'csv-parse/sync';
import { z } from 'zod';
import { cellKey } from '../../../store/records/asset-names.ts';
import { refuseColorwayName } from './colorway-name.ts';

export interface TableRow {
  /** Key of a model, or a glob over keys; empty where the row is of a tag. */
  model: string;
  /** Id of a tag of models; absent where the row names a model. */
  tag?: string;
  colorway: string;
  slot: string;
  /** Name, or `id:` and the id. */
  material: string;
  /** Line of the file, from 1. */
  line: number;
}

/** Problems of a table, each with its line. */
export class TableError extends Error {
  override name = 'TableError';
}

const whose = ['model', 'tag'] as const;
const needed = ['colorway', 'slot', 'material'] as const;
export const rowsAtMost = 100_000;
/** As many as a list may have. */
export const colorwaysAtMost = 500;
const problemsShown = 5;
export const valueAtMost = 500;

/** @throws TableError that names the first few lines that are wrong, and why */
export function readTable(text: string, path: string): TableRow[] {
  const rows = /\.csv$/i.test(path) ? csvRows(text) : jsonRows(text);
  if (rows.length > rowsAtMost) throw new TableError(`has more than ${rowsAtMost} rows`);
  const problems: string[] = [];
  const seen = new Map<string, number>();
  const table = rows.flatMap(({ line, values }): TableRow[] => {
    const row = rowOf(values, line);
    if (typeof row === 'string') {
      problems.push(`line ${line}: ${row}`);
      return [];
    }
    const { tag, model, colorway, slot } = row;
    const cell = JSON.stringify([tag ?? null, model, colorway, slot]);
    const before = seen.get(cell);
    if (before !== undefined) {
      const what = `"${slot}" of ${tag === undefined ? model : `tag ${tag}`} in ${colorway}`;
      problems.push(`line ${line}: ${what} has a material already, in line ${before}`);
    }
    seen.set(cell, line);
    return [row];
  });
  if (problems.length === 0 && table.length === 0) throw new TableError('has no rows');
  const names = new Set(table.map(({ colorway }) => colorway));
  const byKey = new Map<string, string>();
  for (const { colorway, line } of table) {
    const other = byKey.get(cellKey('', colorway)) ?? colorway;
    byKey.set(cellKey('', colorway), other);
    if (other !== colorway)
      problems.push(`line ${line}: "${colorway}" has the key of "${other}"; rename one of them`);
  }
  if (names.size > colorwaysAtMost)
    problems.unshift(`has ${names.size} colorways, more than ${colorwaysAtMost}`);
  if (problems.length === 0) return table;
  const more =
    problems.length > problemsShown ? `; and ${problems.length - problemsShown} more` : '';
  throw new TableError(`${problems.slice(0, problemsShown).join('; ')}${more}`);
}

function rowOf(values: Readonly<Record<string, unknown>>, line: number): TableRow | string {
  const row: Record<string, string> = {};
  const given = whose.filter((column) => !isEmpty(values[column]));
  if (given.length > 1) return 'names a model and a tag; a row is of one of them';
  const [one = 'tag' in values && !('model' in values) ? 'tag' : 'model'] = given;
  for (const column of [one, ...needed]) {
    const value = values[column];
    if (value === undefined) return `has no "${column}"`;
    const text =
      typeof value === 'string' || typeof value === 'number' ? String(value).trim() : null;
    if (text === null) return `"${column}" is no text`;
    if (text === '') return `"${column}" is empty`;
    if (text.length > valueAtMost) return `"${column}" is longer than ${valueAtMost} characters`;
    row[column] = text.normalize('NFC');
  }
  const { model = '', tag, colorway = '', slot = '', material = '' } = row;
  const refusal = refuseColorwayName(colorway);
  if (refusal !== null) return `"${colorway}" cannot be the name of a colorway: it ${refusal}`;
  return { model, ...(tag === undefined ? {} : { tag }), colorway, slot, material, line };
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
  );
}

interface Read {
  line: number;
  values: Record<string, unknown>;
}

/** Rows of the CSV library with `info`, which its types do not know. */
const parsedRows = z.array(
  z.object({
    info: z.object({ lines: z.number() }),
    record: z.record(z.string(), z.unknown()),
  }),
);

function csvRows(text: string): Read[] {
  try {
    const rows = parsedRows.parse(
      parse(text, {
        bom: true,
        columns: (names: string[]) => headed(names),
        info: true,
        skip_empty_lines: true,
        to: rowsAtMost + 1,
        relax_column_count: true,
        delimiter: delimiterOf(text),
        max_record_size: 20_000,
      }),
    );
    return rows.map(({ info, record }) => ({ line: info.lines, values: record }));
  } catch (error) {
    if (error instanceof CsvError) throw new TableError(error.message);
    throw error;
  }
}

/** Spreadsheets write the delimiter that is usual in their country. */
function delimiterOf(text: string): string {
  const [head = ''] = text.split(/\r?\n/, 1);
  const count = (mark: string) => head.split(mark).length;
  return [',', ';', '\t'].toSorted((a, b) => count(b) - count(a))[0] ?? ',';
}

function headed(names: readonly string[]): string[] {
  const known = names.map((name) => name.trim().toLowerCase());
  const missing: string[] = needed.filter((column) => !known.includes(column));
  if (!whose.some((column) => known.includes(column))) missing.unshift('model (or tag)');
  if (missing.length > 0) {
    const there = names.join(', ').slice(0, 200);
    throw new TableError(`line 1: has no column ${missing.join(', ')}; its columns are ${there}`);
  }
  return known;
}

function jsonRows(text: string): Read[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((one, index): Read[] => {
      if (one.trim() === '') return [];
      const line = index + 1;
      try {
        const values: unknown = JSON.parse(one);
        if (typeof values === 'object' && values !== null && !Array.isArray(values))
          return [{ line, values: { ...values } }];
      } catch {
        throw new TableError(`line ${line}: is not JSON`);
      }
      throw new TableError(`line ${line}: is no object`);
    });
}
