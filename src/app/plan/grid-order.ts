// Orders the models and colorways of a grid by its cells. Pure.

import { type CellSource, positionOf } from '../../plan/grid.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';

/** Models in asset order, and colorways in an order that is consistent with the order within each model. */
export function gridOrder(assets: readonly { source: CellSource }[]): {
  models: string[];
  colorways: string[];
} {
  const cells = assets.flatMap(({ source }) => {
    const colorway = positionOf(source, 'colorway');
    return colorway && source.cell ? { model: source.cell.group, name: colorway.name } : [];
  });
  const rows = groupBy(cells, ({ model }) => model);
  return {
    models: [...rows.keys()],
    colorways: mergedOrder([...rows.values()].map((row) => row.map(({ name }) => name))),
  };
}

/** Inserts each new name before the name that follows it in its row. */
function mergedOrder(rows: readonly (readonly string[])[]): string[] {
  const order: string[] = [];
  for (const row of rows) {
    let insertAt = order.length;
    for (const name of row.toReversed()) {
      const known = order.indexOf(name);
      if (known === -1) order.splice(insertAt, 0, name);
      else insertAt = known;
    }
  }
  return order;
}
