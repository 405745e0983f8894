// Rows of tables next to a pipeline file (`data:`). Each asset has the values of its row. Pure.

/** Types of columns. A text is kept as it was typed. A date is a string such as 2026-03-01. */
export const columnTypes = ['text', 'number', 'boolean', 'date'] as const;
export type ColumnType = (typeof columnTypes)[number];

/** What the `model` key column contains: the asset's key, path or name, or a glob over its path. */
export const rowMatches = ['key', 'path', 'name', 'glob'] as const;
export type RowMatch = (typeof rowMatches)[number];

/** What happens to an asset without a row. */
export const rowAbsences = ['fail', 'skip', 'empty'] as const;
export type RowAbsence = (typeof rowAbsences)[number];

export interface PlannedTable {
  name: string;
  connector: string;
  path: string;
  /** Sheet of a workbook. Defaults to the first one. */
  sheet?: string;
  /** Headings of the key columns: `model`, and the name of each dimension if rows describe single cells. */
  key: Record<string, string>;
  match: RowMatch;
  /** Columns that the pipeline file declares, by their names in expressions. */
  columns: Record<string, { heading: string; type: ColumnType }>;
  withoutRow: RowAbsence;
  /** Heading of the column that contains the file of each row, if the rows are the assets. */
  file?: string;
}

/** The tables of a plan, and what reads their columns. */
export interface TablePlan {
  tables: PlannedTable[];
  reads: string[];
  /** Columns that each stage depends on. Keys are stages, or `delivery.` with the node of an export. */
  stages: Record<string, string[]>;
  /** Columns of a node that works once for all cells with equal positions along the first `dimensions` dimensions. */
  shared: { node: string; dimensions: number; columns: string[] }[];
  /** Columns that the pipeline's `key:` reads. Absent if there are none. */
  forKeys?: string[];
}

export type RowValue = string | number | boolean | null;

export interface Row {
  /** Values of the columns that the pipeline reads. */
  values: Record<string, RowValue>;
  /** Hash of the values that each stage depends on, by stage as in TablePlan. Absent if no stage reads the row. */
  stages?: Record<string, string>;
}

export interface RowSource {
  /** The row. Absent if the pipeline has no tables, or if the source has no row in them. */
  row?: Row;
}

/** Returns the name of the stage of an export in TablePlan and Row. */
export function deliveryStageOf(node: string): string {
  return `delivery.${node}`;
}

/** Formats the fingerprint of an asset's delivery. It includes the row, since file names may contain row values. */
export function formatDelivery(fingerprint: string, node: string, { row }: RowSource): string {
  const rowFingerprint = row?.stages?.[deliveryStageOf(node)];
  return rowFingerprint === undefined ? fingerprint : `${fingerprint}.${rowFingerprint}`;
}

/** Returns the fingerprint of the export, without the part that `formatDelivery` adds for the row. */
export function fingerprintOf(delivery: string): string {
  return delivery.split('.', 1)[0] ?? delivery;
}
