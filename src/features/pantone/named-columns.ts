// Reads rows of named columns from a CSV table.
import { parseCsv } from '../variants/grid/csv-thread.ts';
import { TableError } from '../variants/grid/table-error.ts';
import { tableText } from '../variants/grid/table-text.ts';

const maxColumns = 200;

export interface NamedRow<Column extends string> {
  /** From 1. */
  line: number;
  values: Record<Column, string>;
}

/**
 * @param columns names in the file, by ours; compared without case
 * @throws TableError for a missing column, or a table that is no CSV
 */
export async function readNamedColumns<Column extends string>(
  bytes: Uint8Array,
  columns: Readonly<Record<Column, string>>,
): Promise<NamedRow<Column>[]> {
  const text = tableText(bytes);
  const [head = ''] = text.replace(/^\uFEFF/, '').split(/\r\n?|\n/, 1);
  const count = (mark: string) => head.split(mark).length;
  const [delimiter = ','] = [',', ';', '\t'].toSorted((a, b) => count(b) - count(a));
  const options = {
    bom: true,
    delimiter,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  };
  const every = Array.from({ length: maxColumns }, (_, at) => at);
  const [header] = await parseCsv({ text, options: { ...options, to: 1 }, wanted: every });
  const names = (header?.values ?? []).flatMap((name) => (name === undefined ? [] : [plain(name)]));
  const ours = Object.keys(columns) as Column[];
  const missing = ours.filter((column) => !names.includes(plain(columns[column])));
  if (missing.length > 0) {
    const wanted = missing.map((column) => columns[column]).join(', ');
    throw new TableError(
      `has no column ${wanted}; its columns are ${names.join(', ').slice(0, 200)}; use \`columns\` if yours have other names`,
    );
  }
  const wanted = ours.map((column) => names.indexOf(plain(columns[column])));
  const [, ...rows] = await parseCsv({ text, options, wanted });
  return rows.map(({ line, values }) => ({
    line,
    values: Object.fromEntries(
      ours.map((column, at) => [column, (values[at] ?? '').trim()]),
    ) as Record<Column, string>,
  }));
}

function plain(name: string): string {
  return name.normalize('NFC').trim().toLowerCase();
}
