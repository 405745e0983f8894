// Adds the lines of a table beside the pipeline file to errors about names that the table has.

import { RunCauseError } from '../../engine/engine-errors.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';

/** @throws the error of `work`, with the table lines of a name that comes from the table */
export async function withTableLines<T>(grid: Grid | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RunCauseError)) throw error;
    const [first = error, ...others] = error.parts.map((one) => addTableLines(grid, one));
    throw RunCauseError.combine([first, ...others]);
  }
}

function addTableLines(grid: Grid | null, error: RunCauseError): RunCauseError {
  const { failure, message, fix, invalidName } = error;
  const place = invalidName === null ? '' : (grid?.locate(invalidName) ?? '');
  return place === ''
    ? error
    : new RunCauseError(failure, `${place}: ${message}`, { fix, named: invalidName });
}
