// Failures of tables next to the pipeline file, and of their rows.
import { defineFailures } from './define.ts';

export const rowFailures = defineFailures('asset', {
  ROW_MISSING: {
    title: 'No row of a table under `data:` belongs to the asset.',
    fix: 'Add a row whose key column names the asset, or write `withoutRow: skip` or `withoutRow: empty` for the table.',
  },
  ROW_AMBIGUOUS: {
    title: 'Several rows of a table under `data:` match the asset, but their values differ.',
    fix: 'Delete all of these rows but one, or make their values equal in the columns that the pipeline reads; the message lists the lines.',
  },
  ROW_FILE_MISSING: {
    title: 'The file that the row names is missing.',
    fix: 'Add the file, or correct the cell that the message names; the cell must contain a path below the connector. Rows with an empty cell are left out.',
  },
  ROW_INVALID: {
    title: 'The row of the asset has a value that is invalid for its column.',
    fix: 'Correct the cell that the message names, or the `type` of the column in the pipeline file.',
  },
});

export const rowCauses = defineFailures('run', {
  DATA_TABLE: {
    title: 'A table under `data:` does not exist, cannot be read, or lacks a column.',
    fix: 'Correct the table or its entry under `data:`, then start the run again.',
    stops: 'never',
  },
});
