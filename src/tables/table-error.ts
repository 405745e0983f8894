/** The problems of a table, each with its line. */
export class TableError extends Error {
  override name = 'TableError';
}
