/** A problem of a table. The message is a predicate of the table, such as `has more than 10 rows`. */
export class TableError extends Error {
  override name = 'TableError';
}

/** Message for a table without the `missingColumns`. `names` lists the columns that it has. */
export function formatMissingColumns(
  missingColumns: readonly string[],
  names: readonly string[],
): string {
  return `has no column ${missingColumns.join(', ')}; its columns are ${names.join(', ').slice(0, 200)}; use \`columns\` if yours have other names`;
}
