// The grid of a plan as a table, and the legend of its symbols.
import { expect, it } from 'vitest';
import type { CellState, GridReport } from '../../src/app/plan/grid-report.ts';
import { formatGrid } from '../../src/cli/plan/format.ts';

const gridOf = (cells: Record<string, CellState>): GridReport => ({
  models: 1,
  dimensions: [{ name: 'colorway', positions: ['red', 'blue'] }],
  cells: 2,
  toDo: 1,
  rows: [{ model: 'chair', cells }],
  removed: [],
});

it.each<[string, Record<string, CellState>, string[]]>([
  [
    'cells that are done, with a legend',
    { red: 'new', blue: 'done' },
    ['  chair  new  ·', '  (· done)'],
  ],
  [
    'cells that are still being written, with a legend',
    { red: 'later', blue: 'changed' },
    ['  chair  …    again', '  (… still being written)'],
  ],
  [
    'cells that are refused, without a legend',
    { red: 'refused', blue: 'changed' },
    ['  chair  refused  again'],
  ],
  ['no legend for other cells', { red: 'new', blue: 'changed' }, ['  chair  new  again']],
])('the grid shows %s', (_, cells, lines) => {
  expect(formatGrid(gridOf(cells)).slice(2)).toEqual(lines);
});
