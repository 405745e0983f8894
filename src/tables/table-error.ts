/** A problem with a table. The message is a predicate about the table, such as `has more than 10 rows`. */
export class TableError extends Error {
  override name = 'TableError';
}

export const emptyFileMessage = 'the file is empty; save the table again';

/** Formats the message for a table without the `missingColumns`. `names` lists the columns that it has. */
export function formatMissingColumns(
  missingColumns: readonly string[],
  names: readonly string[],
): string {
  if (names.join('') === '') return emptyFileMessage;
  return `has no column ${missingColumns.join(', ')}; its columns are ${names.join(', ').slice(0, 200)}; if your columns have other names, set them in \`columns\``;
}
