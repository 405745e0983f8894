// The fields of a table under `data:`.
import { z } from 'zod';
import { choice, connectorName, tablePath } from '../language/fields.ts';
import { columnTypes, rowAbsences, rowMatches } from '../plan/rows.ts';

const columnHeading = z.string().trim().min(1).max(200);

export const columnName = /^[A-Za-z_][A-Za-z0-9_]{0,62}$/;

const TableColumn = z.union(
  [
    columnHeading,
    z.strictObject({
      column: columnHeading.describe('Heading of the column in the table.'),
      type: choice(
        columnTypes,
        'Type of the values: `text` (as typed), `number`, `boolean` or `date` (2026-03-01).',
      ),
    }),
  ],
  { error: 'must be the heading of a column, or {column, type}' },
);

export const DataTable = z
  .strictObject({
    connector: connectorName,
    path: tablePath.describe('Path of the table below the connector.'),
    sheet: columnHeading
      .optional()
      .describe('Name of the sheet in a workbook; by default the first that is not hidden.'),
    key: z
      .union([columnHeading, z.record(z.string(), columnHeading)], {
        error: 'must be a heading, or a mapping such as { model: Style, colorway: Colour name }',
      })
      .describe(
        'The column that identifies a row, or several columns if rows are for colorways or views.',
      ),
    match: choice(
      rowMatches,
      'What the key column contains: keys of assets, paths of files, names of files without extension, or globs over paths.',
    ),
    columns: z
      .record(z.string().regex(columnName), TableColumn)
      .default({})
      .describe(
        'Columns that need a type, or a name of their own in expressions. The name of any other column is its heading in lower case, with _ for other characters.',
      ),
    withoutRow: choice(
      rowAbsences,
      'What happens to an asset without a row: `fail` (before anything is paid for), `skip`, or `empty` (its columns are empty).',
    ),
  })
  .describe('A table whose rows belong to assets: `row.NAME` in expressions and file names.');
