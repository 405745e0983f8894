// A material that is not there, told with the lines of the table that name it.

import { RunCauseError } from '../../../machinery/engine-errors.ts';
import type { Grid } from '../../../store/discovery/grid.ts';

/** @throws what the work throws; of a name that stands in the table with its lines */
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
