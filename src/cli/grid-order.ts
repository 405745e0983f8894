// Orders the models and colorways of a grid, given its cells. Pure.
import { groupBy } from '../plan/group-by.ts';
import type { AssetSource } from '../plan/types.ts';

/** Models in the order of the assets; colorways in an order that fits each model's. */
export function gridOrder(assets: readonly { source: Pick<AssetSource, 'colorway'> }[]): {
  models: string[];
  colorways: string[];
} {
  const cells = assets.flatMap(({ source }) => source.colorway ?? []);
  const rows = groupBy(cells, ({ model }) => model);
  return {
    models: [...rows.keys()],
    colorways: mergedOrder([...rows.values()].map((row) => row.map(({ name }) => name))),
  };
}

/** A new name goes before the one that follows it in its row. */
function mergedOrder(rows: readonly (readonly string[])[]): string[] {
  const order: string[] = [];
  for (const row of rows) {
    let place = order.length;
    for (const name of row.toReversed()) {
      const known = order.indexOf(name);
      if (known === -1) order.splice(place, 0, name);
      else place = known;
    }
  }
  return order;
}
