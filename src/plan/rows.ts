// Rows of tables beside a pipeline file (`data:`): each asset has the values of its row. Pure.

/** What a column may hold. A text is as it was typed; a date is a text such as 2026-03-01. */
export const columnTypes = ['text', 'number', 'boolean', 'date'] as const;
export type ColumnType = (typeof columnTypes)[number];

/** Which part of an asset a key column is compared with. */
export const rowMatches = ['key', 'path', 'name', 'glob'] as const;
export type RowMatch = (typeof rowMatches)[number];

/** What happens to an asset without a row. */
export const rowAbsences = ['fail', 'skip', 'empty'] as const;
export type RowAbsence = (typeof rowAbsences)[number];

/** A table of the plan. */
export interface PlannedTable {
  name: string;
  connector: string;
  path: string;
  /** Only of a workbook; absent: the first. */
  sheet?: string;
  /** Headings of the columns that identify a row: `model`, and dimensions by name for rows of single cells. */
  key: Record<string, string>;
  match: RowMatch;
  /** Columns that the file names, by their names in expressions. */
  columns: Record<string, { heading: string; type: ColumnType }>;
  withoutRow: RowAbsence;
  /** Heading of the column that names the file of each row, if the rows are the assets. */
  file?: string;
}

/** The tables of a plan, and who reads their columns. */
export interface PlannedRows {
  tables: PlannedTable[];
  /** Columns that the pipeline reads. */
  reads: string[];
  /** Columns that decide about a stage, by the stage, or by `delivery.` and the node of an export. */
  stages: Record<string, string[]>;
  /** Columns that are read by work done once for cells that are the same along the first `dimensions` dimensions. */
  shared: { node: string; dimensions: number; columns: string[] }[];
  /** Columns that `key:` of the pipeline reads; absent: none. */
  forKeys?: string[];
}

export type RowValue = string | number | boolean | null;

/** The row of an asset. */
export interface Row {
  /** Values of the columns that the pipeline reads. */
  values: Record<string, RowValue>;
  /** Hash of the values that decide about a stage; see PlannedRows. Absent: no stage reads the row. */
  stages?: Record<string, string>;
}

/** What may have a row. */
export interface RowSource {
  /** Only if the pipeline has tables and the asset has a row. */
  row?: Row;
}

/** Name of the stage of an export in PlannedRows and Row. */
export function deliveryStageOf(node: string): string {
  return `delivery.${node}`;
}

/** The fingerprint of an export's delivery for one asset: its file names may show the row. */
export function deliveryOf(fingerprint: string, node: string, { row }: RowSource): string {
  const own = row?.stages?.[deliveryStageOf(node)];
  return own === undefined ? fingerprint : `${fingerprint}.${own}`;
}

/** The fingerprint of the export, without what the row adds. */
export function fingerprintOf(delivery: string): string {
  return delivery.split('.', 1)[0] ?? delivery;
}
