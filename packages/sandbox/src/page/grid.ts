// The grid of models and colorways on the page, limited in both directions.

export interface GridPicture {
  /** Path of the thumbnail. */
  readonly image: string;
  /** Path of the full picture. */
  readonly link: string;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  readonly caption: string;
}

/** A variant, or the job that should create it. */
export interface GridVariant {
  readonly pictures: readonly GridPicture[];
  /** Number of pictures that are not shown. */
  readonly more: number;
  /** Status of the newest render or of an open colorway job. Absent if the render is completed or the job failed. */
  readonly status?: string | undefined;
  /** Why the colorway job or the newest render failed. */
  readonly problem?: string | undefined;
}

export interface GridEntry {
  /** Key of the column. */
  readonly column: string;
  /** Title of the column, taken from its first entry. */
  readonly title: string;
  readonly part: GridVariant;
}

export type Grid = ReturnType<typeof createGrid>;

const maxColumns = 40;

/**
 * Creates a grid. Its columns appear in the order in which the rows first use them. A row has one cell per column. The
 * cell is empty if the model has nothing in that column.
 */
export function createGrid(
  rows: readonly { id: string; title: string; entries: readonly GridEntry[] }[],
) {
  const titles = new Map<string, string>();
  for (const { column, title } of rows.flatMap(({ entries }) => entries)) {
    if (!titles.has(column)) titles.set(column, title);
  }
  const columns = [...titles].slice(0, maxColumns);
  return {
    columns: columns.map(([, title]) => title),
    hiddenColumns: titles.size - columns.length,
    rows: rows.map(({ id, title, entries }) => ({
      id,
      title,
      cells: columns.map(([key]) =>
        entries.filter(({ column }) => column === key).map(({ part }) => part),
      ),
    })),
  };
}
