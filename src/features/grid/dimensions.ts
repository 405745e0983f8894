// The registry of dimensions, and functions that apply to all dimensions of a plan.
import type { Dimension, GridContext } from '../../engine/grid/dimension.ts';
import { openGrid } from '../../engine/grid/open-grid.ts';
import type { Json, Plan } from '../../plan/types.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';
import { views } from '../renders/render-views.ts';
import { colorways } from '../variants/grid/colorways.ts';

type Discovery = Pick<Plan['discovery'], 'grid'>;

export const dimensions: readonly Dimension[] = [colorways, views];

/** @throws TypeError if no dimension has the name */
export function findDimension(name: string): Dimension {
  const match = dimensions.find((dimension) => dimension.name === name);
  if (match === undefined) throw new TypeError(`the dimension "${name}" does not exist`);
  return match;
}

/** Opens a plan's grid, if any. @throws RunCauseError if positions, such as a table of colorways, cannot be read */
export function openPlanGrid({ grid = [] }: Discovery, context: GridContext): Promise<Grid | null> {
  return openGrid(grid, findDimension, context);
}

/** Returns the locations of the grid's positions that are not in the pipeline file, such as tables. */
export function gridLocationsOf({ grid = [] }: Discovery, connectors: Plan['connectors']): Json[] {
  return grid.flatMap(({ name, spec }) => {
    const dimension = findDimension(name);
    const location = dimension.locationOf?.(dimension.spec.parse(spec), connectors) ?? null;
    return location === null ? [] : [location];
  });
}
