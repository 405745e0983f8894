// A material that is not there, told with the lines of the table that name it.

import { RunCauseError } from '../../../machinery/engine-errors.ts';
import type { Grid } from '../../../store/discovery/grid.ts';

/** @throws the error of the work; a name from the table is told with its lines */
export async function withLines<T>(grid: Grid | null, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RunCauseError) || error.named === null) throw error;
    const place = grid?.placeOfMaterial?.(error.named) ?? '';
    if (place === '') throw error;
    const { failure, message, fix, named } = error;
    throw new RunCauseError(failure, `${place}: ${message}`, { fix, named });
  }
}
