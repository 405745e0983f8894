// Finds empty cells in columns that file names use, since `{{ row.sku }}_{{ index }}.{{ ext }}` then becomes `_1.png`.
import type { FoundRow, OpenRows } from '../../engine/rows/open-rows.ts';
import { columnsOfTemplate } from '../../language/naming/naming.ts';
import type { RunWarning } from '../../plan/contract/contract.ts';
import { formatFirst, formatLines } from '../../plan/helpers/format-first.ts';
import type { Delivery } from '../../plan/run/deliveries.ts';
import type { Asset, Plan } from '../../plan/types.ts';
import { modelKeyOf } from '../../store/records/cell-keys.ts';
import { predictPaths } from './file-names.ts';

const maxShown = 3;

interface EmptyCell {
  asset: Pick<Asset, 'key' | 'source'>;
  delivery: Delivery;
  column: string;
  row: FoundRow;
}

interface NamingContext {
  deliveries: readonly Delivery[];
  connectors: Plan['connectors'];
  rows: Pick<OpenRows, 'rowsOf'> | null;
  node: string;
}

/** Warns about files whose names lack the value of a column. Assets without a row are left out. */
export function findEmptyNameWarnings(
  assets: readonly Pick<Asset, 'key' | 'source'>[],
  { deliveries, connectors, rows, node }: NamingContext,
): RunWarning[] {
  const namings = deliveries.map((delivery) => ({
    delivery,
    columns: columnsOfTemplate(delivery.naming),
  }));
  const emptyCells = assets.flatMap((asset) =>
    namings.flatMap(({ delivery, columns }): EmptyCell[] => {
      const values = asset.source.row?.values ?? {};
      const column = columns.find((name) => name in values && (values[name] ?? '') === '');
      if (column === undefined) return [];
      const foundRows = rows?.rowsOf(modelKeyOf(asset), asset.source) ?? [];
      const row = foundRows.find((found) => column in found.values);
      return row ? [{ asset, delivery, column, row }] : [];
    }),
  );
  if (emptyCells.length === 0) return [];
  const format = ({ asset, delivery, column, row }: EmptyCell) => {
    const [planned] = predictPaths([delivery], connectors, asset);
    const name = planned?.path ?? delivery.naming;
    return `row.${column} of ${row.place}, ${formatLines(row.lines, maxShown)}: a file of "${asset.key}" gets the name "${name}"`;
  };
  const shown = emptyCells.slice(0, maxShown).map(format);
  const rest = emptyCells.slice(maxShown).map(({ asset }) => asset.key);
  const message = `a column that file names use is empty: ${formatFirst([...shown, ...rest], maxShown)}; fill in the cell, or leave the column out of \`naming\``;
  return [{ key: node, message }];
}
