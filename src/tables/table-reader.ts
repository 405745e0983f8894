// How a table is read: which file, which columns, and who takes the rows. Pure.
/** The wanted values of a row, in the order of the wanted headings; undefined where the row has no such value. */
export interface ReadRow {
  /** Line of the file, from 1. */
  line: number;
  values: readonly unknown[];
}

export interface TableBounds {
  maxRows: number;
  /** Empty cells count too: spreadsheets may save rows and columns of bare delimiters, which keep the parser busy for minutes. */
  maxCells: number;
}

export interface TableHeadings {
  /** As they are in the file, trimmed. */
  names: readonly string[];
  /** null: the table has no headings, each line names its own fields. */
  line: number | null;
}

/**
 * Chooses the columns to read, as indexes of headings; -1 for a column that no line has.
 * @throws TableError if a column is missing
 */
export type ChooseColumns = (headings: TableHeadings) => readonly number[];

export interface TableFile {
  bytes: Uint8Array;
  /** Its extension determines the format. */
  path: string;
  /** Sheet of a workbook; absent: the first. */
  sheet?: string | undefined;
}

export interface TableReader extends TableBounds {
  choose: ChooseColumns;
  /** Gets each row, so that no list of all rows is needed. */
  take: (row: ReadRow) => void;
}
