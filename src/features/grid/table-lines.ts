// Adds the lines of a table to errors about names that the table contains.

import { RunCauseError } from '../../engine/engine-errors.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';

/** @throws the error of `task`, with the table lines of a name that comes from the table */
export async function withTableLines<T>(grid: Grid | null, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof RunCauseError)) throw error;
    const [first = error, ...others] = error.parts.map((part) => addTableLines(grid, part));
    throw RunCauseError.combine([first, ...others]);
  }
}

function addTableLines(grid: Grid | null, error: RunCauseError): RunCauseError {
  const { failure, message, fix, invalidName } = error;
  const location = invalidName === null ? '' : (grid?.locate(invalidName) ?? '');
  return location === ''
    ? error
    : new RunCauseError(failure, `${location}: ${message}`, { fix, named: invalidName });
}
