// Reports the grid of a plan as a table, so that it can be checked before anything is paid for.

import { positionNamesOf } from '../../plan/grid.ts';
import type { DiscoveredAssets } from '../../store/discovery/discover.ts';
import { isCell, modelKeyOf } from '../../store/records/cell-keys.ts';
import { type DimensionOrder, gridOrderOf } from './grid-order.ts';

const maxModelsShown = 12;

/** What the run does with a cell. A cell without a state does not exist, because its model lacks the position. */
export type CellState = 'new' | 'changed' | 'done' | 'later';

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

/**
 * Reports the cells of a grid. Returns null if there are neither cells nor delivered cells that were removed.
 * @param toDo number of assets that the run processes after inspecting their files
 */
export function reportGrid(
  {
    assets,
    classified,
    touched,
    removed,
  }: Pick<DiscoveredAssets, 'assets' | 'classified' | 'touched' | 'removed'>,
  toDo: number,
): GridReport | null {
  const rows = new Map<string, Record<string, CellState>>();
  const reasons = new Map(assets.map(({ key, reason }) => [key, reason]));
  const touchedKeys = new Set(touched.map(({ record }) => record.key));
  let cells = 0;
  for (const { key, source, status } of classified) {
    if (!isCell({ source })) continue;
    cells += 1;
    const [column = ''] = positionNamesOf(source);
    const model = modelKeyOf({ key, source });
    const row = rows.get(model) ?? {};
    const isDone = status.reason === 'unchanged' || touchedKeys.has(key);
    const state = stateOf(reasons.get(key), isDone);
    row[column] = chooseStateWithMoreWork(row[column], state);
    rows.set(model, row);
  }
  if (cells + removed.length === 0) return null;
  const first = [...rows].slice(0, maxModelsShown);
  return {
    models: rows.size,
    dimensions: gridOrderOf(classified).dimensions,
    cells,
    toDo,
    rows: first.map(([model, states]) => ({ model, cells: states })),
    removed,
  };
}

/** For two cells in one column, returns the state that means more work. */
function chooseStateWithMoreWork(a: CellState | undefined, b: CellState): CellState {
  const order: readonly CellState[] = ['new', 'changed', 'later', 'done'];
  return order.find((state) => state === a || state === b) ?? b;
}

function stateOf(reason: string | undefined, isDone: boolean): CellState {
  if (reason === undefined) return isDone ? 'done' : 'later';
  return reason === 'new' || reason === 'retry' ? 'new' : 'changed';
}
