// Names of the dimensions of grids, which are also fields: `{{ view }}` in file names, `asset.view` in expressions.
import { type CellSource, findPosition } from '../plan/grid.ts';

export const dimensionNames = ['colorway', 'view'] as const;
export type DimensionName = (typeof dimensionNames)[number];

/** Returns a value for each dimension. */
export function mapDimensions<T>(valueOf: (name: DimensionName) => T): Record<DimensionName, T> {
  // The cast is needed, because Object.fromEntries does not keep the names of the keys.
  const entries = dimensionNames.map((name) => [name, valueOf(name)]);
  return Object.fromEntries(entries) as Record<DimensionName, T>;
}

/** Returns the names of the positions of a source by dimension. Empty along dimensions that it does not have. */
export function labelsOf(source: CellSource): Record<DimensionName, string> {
  return mapDimensions((name) => findPosition(source, name)?.name ?? '');
}
