// Formats the grid of a plan as a table.

import type { CellState, GridReport } from '../../app/plan/grid-report.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatRemovedCells } from '../../store/discovery/grid/removed-cells.ts';

const columnsShown = 8;
const maxNameLength = 24;

const stateLabels: Record<CellState, string> = {
  new: 'new',
  changed: 'again',
  done: '·',
  later: '…',
};

/** Formats the first models as rows, and as columns the first positions of the first dimension. */
export function formatGrid({
  models,
  dimensions,
  cells,
  toDo,
  rows,
  removed,
}: GridReport): string[] {
  const { name = '', positions = [] } = dimensions[0] ?? {};
  const shown = positions.slice(0, columnsShown);
  const headers = ['', ...shown.map(truncateName)];
  const lines = rows.map(({ model, cells: states }) => [
    truncateName(model),
    ...shown.map((one) => (states[one] === undefined ? '' : stateLabels[states[one]])),
  ]);
  const widths = headers.map((head, at) =>
    Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0)),
  );
  const text = (line: readonly string[]) =>
    `  ${line.map((part, at) => part.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  const sizes = [
    formatCount(models, 'model'),
    ...dimensions.map((one) => formatCount(one.positions.length, one.name)),
  ].join(' × ');
  const more = [
    ...(models > rows.length ? [formatCount(models - rows.length, 'more model')] : []),
    ...(positions.length > shown.length
      ? [formatCount(positions.length - shown.length, `more ${name}`)]
      : []),
  ];
  const states = new Set(rows.flatMap((row) => shown.map((one) => row.cells[one])));
  const legend = [
    ...(states.has('done') ? [`${stateLabels.done} done`] : []),
    ...(states.has('later') ? [`${stateLabels.later} still being written`] : []),
  ];
  return [
    `grid      ${sizes}: ${formatCount(cells, 'cell')}, ${toDo} to do`,
    text(headers),
    ...lines.map(text),
    ...(legend.length > 0 ? [`  (${legend.join(', ')})`] : []),
    ...(more.length > 0 ? [`  and ${more.join(' and ')}`] : []),
    ...(removed.length > 0 ? [`  ${formatRemovedCells(removed)}`] : []),
  ];
}

function truncateName(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 1)}…`;
}
