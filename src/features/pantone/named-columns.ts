// Reads rows of named columns from a table.
import { normalizeHeading, readTable } from '../../tables/read-table.ts';
import { formatMissingColumns, TableError } from '../../tables/table-error.ts';
import type { TableFile } from '../../tables/table-reader.ts';

export interface NamedRow<Column extends string> {
  /** Line of the file, from 1. */
  line: number;
  values: Record<Column, string>;
}

/**
 * @param columns headings in the file, by the name of the column in the result
 * @throws TableError for a missing column, more than `maxRows` rows, or a file that is not a table
 */
export async function readNamedColumns<Column extends string>(
  file: TableFile,
  columns: Readonly<Record<Column, string>>,
  maxRows: number,
): Promise<NamedRow<Column>[]> {
  const ours = Object.keys(columns) as Column[];
  const rows: NamedRow<Column>[] = [];
  await readTable(file, {
    maxRows,
    maxCells: maxRows * 1_000,
    choose({ names }) {
      const known = names.map(normalizeHeading);
      const wanted = ours.map((column) => known.indexOf(normalizeHeading(columns[column])));
      const missing = ours.filter((_, at) => wanted[at] === -1).map((column) => columns[column]);
      if (missing.length === 0) return wanted;
      throw new TableError(formatMissingColumns(missing, names));
    },
    take({ line, values }) {
      const texts = ours.map((column, at) => [column, textOf(values[at])]);
      rows.push({ line, values: Object.fromEntries(texts) as Record<Column, string> });
    },
  });
  return rows;
}

/** Returns an empty text for a value that is not a text, so that the row is refused as incomplete. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}
