import { suggestName } from '../api/requests/nearest-name.ts';
import type { TableHeadings } from './table-reader.ts';

/** A problem with a table. The message is a predicate about the table, such as `has more than 10 rows`. */
export class TableError extends Error {
  override name = 'TableError';
}

export const emptyFileMessage = 'the file is empty; save the table again';

/** Formats where the headings are, as the start of a message: `sheet "Products", line 1: `. */
export function formatHeadingPlace({ line, sheets: [sheet] = [] }: TableHeadings): string {
  if (line === null) return '';
  return `${sheet === undefined ? '' : `sheet "${sheet}", `}line ${line}: `;
}

/** Formats the columns of a table that lacks one, and where the wanted column may be. */
export function formatColumns({ names, line, sheets: [, ...others] = [] }: TableHeadings): string {
  const columns = `its columns are ${names
    .filter((name) => name !== '')
    .join(', ')
    .slice(0, 200)}`;
  if (line === null) return columns;
  const sheets = others.length === 0 ? '' : ` (other sheets: ${others.join(', ').slice(0, 200)})`;
  return `${columns}; the headings must be in the first line that is not empty${sheets}`;
}

/** Formats the message for a table without the `missingColumns`. */
export function formatMissingColumns(
  missingColumns: readonly string[],
  headings: TableHeadings,
): string {
  if (headings.names.join('') === '') return emptyFileMessage;
  const hints = missingColumns.map((column) => suggestName(column, headings.names) ?? []);
  const problems = [`has no column ${missingColumns.join(', ')}`, ...hints.flat()];
  return `${problems.join('; ')}; ${formatColumns(headings)}; if your columns have other names, set them in \`columns\``;
}
