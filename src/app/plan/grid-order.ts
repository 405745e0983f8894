import type { Cell, CellSource } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';

export interface DimensionOrder {
  name: string;
  positions: string[];
}

/** Returns the models in asset order, and each dimension's positions in the order of the models, where they agree. */
export function gridOrderOf(assets: readonly { source: CellSource }[]): {
  models: string[];
  dimensions: DimensionOrder[];
} {
  const cells = assets.flatMap(({ source }) => source.cell ?? []);
  const rows = groupBy(cells, ({ group }) => group);
  const positionsOf = (row: readonly Cell[]) => row.flatMap(({ positions }) => positions);
  const names = new Set(positionsOf(cells).map(({ dimension }) => dimension));
  const namesIn = (row: readonly Cell[], dimensionName: string) =>
    positionsOf(row).flatMap(({ dimension, name }) => (dimension === dimensionName ? name : []));
  return {
    models: [...rows.keys()],
    dimensions: [...names].map((name) => ({
      name,
      positions: mergeOrders([...rows.values()].map((row) => namesIn(row, name))),
    })),
  };
}

/** Merges the positions of several models. Each new name is inserted before the name that follows it in its model. */
function mergeOrders(rows: readonly (readonly string[])[]): string[] {
  const order: string[] = [];
  for (const row of rows) {
    let insertAt = order.length;
    for (const name of row.toReversed()) {
      const index = order.indexOf(name);
      if (index === -1) order.splice(insertAt, 0, name);
      else insertAt = index;
    }
  }
  return order;
}
