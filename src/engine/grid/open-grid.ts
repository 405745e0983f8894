// Opens the grid of a plan: models become cells along its dimensions.
import type { PlannedDimension, Position } from '../../plan/grid.ts';
import type { AssetSource } from '../../plan/types.ts';
import type { Grid } from '../../store/discovery/grid/grid.ts';
import { createCellKey } from '../../store/records/cell-keys.ts';
import type { Axis, Dimension, GridContext } from './dimension.ts';

interface NamedAxis {
  dimension: string;
  axis: Axis;
}

/**
 * Opens the dimensions of a plan's grid. Returns null if the plan has no grid.
 * @throws RunCauseError if the positions of a dimension cannot be read
 */
export async function openGrid(
  plannedDimensions: readonly PlannedDimension[],
  findDimension: (name: string) => Dimension,
  context: GridContext,
): Promise<Grid | null> {
  const axes: NamedAxis[] = [];
  for (const { name, spec } of plannedDimensions) {
    const dimension = findDimension(name);
    axes.push({
      dimension: name,
      axis: await dimension.open(dimension.spec.parse(spec), context),
    });
  }
  if (axes.length === 0) return null;
  return {
    keysOf: (model) =>
      axes.reduce(
        (keys, { axis }) =>
          keys.flatMap((key) => axis.namesOf(model).map((name) => createCellKey(key, name))),
        [model],
      ),
    cellsOf: (model, source) => createCells(axes, model, source),
    failuresOf: (models, node) => axes.flatMap(({ axis }) => axis.failuresOf?.(models, node) ?? []),
    locate: (name, cell) =>
      axes
        .map(({ axis }) => axis.locate?.(name, cell) ?? '')
        .filter((location) => location !== '')
        .join('; '),
  };
}

function createCells(
  axes: readonly NamedAxis[],
  model: string,
  source: AssetSource,
): ReturnType<Grid['cellsOf']> {
  let cells: { key: string; positions: Position[] }[] = [{ key: model, positions: [] }];
  for (const { dimension, axis } of axes) {
    const axisPositions = axis.positionsOf(model, source);
    cells = cells.flatMap(({ key, positions }) =>
      axisPositions.map((position) => ({
        key: createCellKey(key, position.name),
        positions: [...positions, { dimension, ...position }],
      })),
    );
  }
  return cells.map(({ key, positions }) => ({
    key,
    source: { ...source, cell: { group: model, positions } },
  }));
}
