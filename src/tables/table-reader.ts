// Types for reading a table: its file, its columns, its bounds, and the receiver of its rows.
/** The wanted values of a row, in the order of the wanted headings. Undefined where the row has no such value. */
export interface ReadRow {
  /** Line in the file, starting at 1. */
  line: number;
  values: readonly unknown[];
}

export interface TableBounds {
  maxRows: number;
  /** Maximum number of cells, including empty ones, because parsing rows of delimiters alone may take minutes. */
  maxCells: number;
}

export interface TableHeadings {
  /** Headings as they are in the file, trimmed. */
  names: readonly string[];
  /** Line of the headings. Null if each line contains the names of its fields. */
  line: number | null;
  /** Names of the sheets of a workbook: first the one that is read. */
  sheets?: readonly string[];
}

/**
 * Chooses the columns to read, as indexes of headings. The index is -1 for a column that no line has.
 * @throws TableError if a column is missing
 */
export type ChooseColumns = (headings: TableHeadings) => readonly number[];

export interface TableFile {
  bytes: Uint8Array;
  /** Path of the file, whose extension determines the format. */
  path: string;
  /** Sheet of a workbook. Defaults to the first that is not hidden. */
  sheet?: string | undefined;
}

export interface TableReader extends TableBounds {
  choose: ChooseColumns;
  /** Called with each row, so that a list of all rows is not needed. */
  take: (row: ReadRow) => void;
}
