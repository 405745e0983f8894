// Formats the colorways and views of a plan as a table.

import type { CellState, GridReport } from '../../app/plan/grid-report.ts';
import { formatCount } from '../../plan/helpers/format-count.ts';
import { formatRemovedCells } from '../../store/discovery/grid/removed-cells.ts';

const colorwaysShown = 8;
const maxNameLength = 24;

const stateLabels: Record<CellState, string> = {
  new: 'new',
  changed: 'again',
  done: '·',
  later: '…',
};

/** Formats the first models as rows and the first colorways as columns. */
export function formatGrid({
  models,
  colorways,
  views,
  cells,
  toDo,
  rows,
  removed,
}: GridReport): string[] {
  const columns = colorways.length > 0 ? colorways : views;
  const shown = columns.slice(0, colorwaysShown);
  const headers = ['', ...shown.map(truncateName)];
  const lines = rows.map(({ model, cells: states }) => [
    truncateName(model),
    ...shown.map((name) => (states[name] === undefined ? '' : stateLabels[states[name]])),
  ]);
  const widths = headers.map((head, at) =>
    Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0)),
  );
  const text = (line: readonly string[]) =>
    `  ${line.map((part, at) => part.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  const sizes = [
    formatCount(models, 'model'),
    ...(colorways.length > 0 ? [formatCount(colorways.length, 'colorway')] : []),
    ...(views.length > 0 ? [formatCount(views.length, 'view')] : []),
  ].join(' × ');
  const more = [
    ...(models > rows.length ? [formatCount(models - rows.length, 'more model')] : []),
    ...(columns.length > shown.length
      ? [
          formatCount(
            columns.length - shown.length,
            colorways.length > 0 ? 'more colorway' : 'more view',
          ),
        ]
      : []),
  ];
  return [
    `grid      ${sizes}: ${formatCount(cells, 'cell')}, ${toDo} to do`,
    text(headers),
    ...lines.map(text),
    ...(more.length > 0 ? [`  and ${more.join(' and ')}`] : []),
    ...(removed.length > 0 ? [`  ${formatRemovedCells(removed)}`] : []),
  ];
}

function truncateName(name: string): string {
  return name.length <= maxNameLength ? name : `${name.slice(0, maxNameLength - 1)}…`;
}
