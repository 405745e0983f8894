// Reports the grid of a plan as a table, so that it can be checked before anything is paid for.

import { positionNamesOf } from '../../plan/grid.ts';
import type { DiscoveredAssets, RefusedCell } from '../../store/discovery/discover.ts';
import { isCell, modelKeyOf } from '../../store/records/cell-keys.ts';
import { type DimensionOrder, gridOrderOf } from './grid-order.ts';

const maxModelsShown = 12;

/** What the run does with a cell. A cell without a state does not exist, because its model lacks the position. */
export type CellState = 'refused' | 'new' | 'changed' | 'done' | 'later';

export interface GridReport {
  models: number;
  /** Dimensions of the grid, outermost first. */
  dimensions: DimensionOrder[];
  cells: number;
  toDo: number;
  /** The first models, each with the states of its cells by position of the first dimension. */
  rows: { model: string; cells: Record<string, CellState> }[];
  /** Keys of delivered cells that are no longer in the grid. */
  removed: string[];
}

/** Reports the cells of a grid. Returns null if there are neither cells nor delivered cells that were removed. */
export function reportGrid({
  assets,
  classified,
  touched,
  removed,
  refusedCells,
}: Pick<
  DiscoveredAssets,
  'assets' | 'classified' | 'touched' | 'removed' | 'refusedCells'
>): GridReport | null {
  const rows = new Map<string, Record<string, CellState>>();
  const reasons = new Map(assets.map(({ key, reason }) => [key, reason]));
  const touchedKeys = new Set(touched.map(({ record }) => record.key));
  const refusedKeys = new Set(refusedCells.map(({ key }) => key));
  const otherCells = classified.filter((asset) => isCell(asset) && !refusedKeys.has(asset.key));
  const addState = ({ key, source }: RefusedCell, state: CellState) => {
    const [column = ''] = positionNamesOf(source);
    const model = modelKeyOf({ key, source });
    const row = rows.get(model) ?? {};
    row[column] = chooseMostImportantState(row[column], state);
    rows.set(model, row);
  };
  for (const cell of otherCells) {
    const isDone = cell.status.reason === 'unchanged' || touchedKeys.has(cell.key);
    addState(cell, stateOf(reasons.get(cell.key), isDone));
  }
  for (const cell of refusedCells) addState(cell, 'refused');
  const cells = otherCells.length + refusedCells.length;
  if (cells + removed.length === 0) return null;
  const first = [...rows].slice(0, maxModelsShown);
  return {
    models: rows.size,
    dimensions: gridOrderOf([...classified, ...refusedCells]).dimensions,
    cells,
    toDo: assets.length,
    rows: first.map(([model, states]) => ({ model, cells: states })),
    removed,
  };
}

/** For two cells in one column, returns a refusal or the state that means more work. */
function chooseMostImportantState(a: CellState | undefined, b: CellState): CellState {
  const order: readonly CellState[] = ['refused', 'new', 'changed', 'later', 'done'];
  return order.find((state) => state === a || state === b) ?? b;
}

function stateOf(reason: string | undefined, isDone: boolean): CellState {
  if (reason === undefined) return isDone ? 'done' : 'later';
  return reason === 'new' || reason === 'retry' ? 'new' : 'changed';
}
