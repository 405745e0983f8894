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
  ['done', { red: 'new', blue: 'done' }, ['  chair  new  ·', '  (· done)']],
  [
    'later',
    { red: 'later', blue: 'changed' },
    ['  chair  …    again', '  (… still being written)'],
  ],
  ['neither', { red: 'new', blue: 'changed' }, ['  chair  new  again']],
])('%s', (_, cells, lines) => {
  expect(formatGrid(gridOf(cells)).slice(2)).toEqual(lines);
});
