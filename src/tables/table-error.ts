/** The problems of a table, each with its line. */
export class TableError extends Error {
  override name = 'TableError';
}

/** Says which columns a table lacks, and which it has. */
export function formatMissingColumns(missing: readonly string[], names: readonly string[]): string {
  return `has no column ${missing.join(', ')}; its columns are ${names.join(', ').slice(0, 200)}; use \`columns\` if yours have other names`;
}
