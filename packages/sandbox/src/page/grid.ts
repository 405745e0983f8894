// A table of models and their colorways as the page shows it: bounded in both directions.

export interface GridPicture {
  /** Path of a small picture. */
  readonly image: string;
  /** Path of the thing itself. */
  readonly link: string;
  readonly width: number;
  readonly height: number;
  readonly name: string;
  readonly caption: string;
}

/** A variant, or the job that was to make it. */
export interface GridPart {
  readonly pictures: readonly GridPicture[];
  /** Pictures that are left out. */
  readonly more: number;
  /** Absent where pictures show it. */
  readonly status?: string | undefined;
  /** Why it failed. */
  readonly problem?: string | undefined;
}

export interface GridEntry {
  /** Key of the column. */
  readonly column: string;
  /** Heads the column, if this entry is its first. */
  readonly title: string;
  readonly part: GridPart;
}

export interface GridRow {
  readonly id: string;
  readonly title: string;
  /** In the order of the columns; empty where the model has nothing of the column. */
  readonly cells: readonly (readonly GridPart[])[];
}

export interface Grid {
  readonly columns: readonly string[];
  readonly columnsLeft: number;
  readonly rows: readonly GridRow[];
}

const columnsShown = 40;

/** Columns in the order in which rows have them. */
export function makeGrid(
  rows: readonly { id: string; title: string; entries: readonly GridEntry[] }[],
): Grid {
  const titles = new Map<string, string>();
  for (const { column, title } of rows.flatMap(({ entries }) => entries)) {
    if (!titles.has(column)) titles.set(column, title);
  }
  const columns = [...titles].slice(0, columnsShown);
  return {
    columns: columns.map(([, title]) => title),
    columnsLeft: titles.size - columns.length,
    rows: rows.map(({ id, title, entries }) => ({
      id,
      title,
      cells: columns.map(([key]) =>
        entries.filter(({ column }) => column === key).map(({ part }) => part),
      ),
    })),
  };
}
