// The colorway grid of a plan, for people to look at before anything is paid for.
import type { Discovered } from '../store/discover.ts';
import { gridOrder } from './grid-order.ts';
import { count } from './runs/run-summary.ts';

const modelsShown = 12;
const colorwaysShown = 8;
const nameAtMost = 24;

/** What a run would do with a cell; absent: the model does not get the colorway. */
export type CellState = 'new' | 'changed' | 'done' | 'later';

export interface GridReport {
  models: number;
  colorways: string[];
  cells: number;
  toDo: number;
  /** The first models, with the state of their cells by colorway. */
  rows: { model: string; cells: Record<string, CellState> }[];
}

/** null where assets are no cells of a grid. */
export function gridReport({
  assets,
  standings,
}: Pick<Discovered, 'assets' | 'standings'>): GridReport | null {
  const rows = new Map<string, Record<string, CellState>>();
  const reasons = new Map(assets.map(({ key, reason }) => [key, reason]));
  let cells = 0;
  for (const { key, source, standing } of standings) {
    const { colorway } = source;
    if (colorway === undefined) continue;
    cells += 1;
    const row = rows.get(colorway.model) ?? {};
    row[colorway.name] = stateOf(reasons.get(key), standing.reason === 'unchanged');
    rows.set(colorway.model, row);
  }
  if (cells === 0) return null;
  const first = [...rows].slice(0, modelsShown);
  return {
    models: rows.size,
    colorways: gridOrder(standings).colorways,
    cells,
    toDo: assets.length,
    rows: first.map(([model, states]) => ({ model, cells: states })),
  };
}

function stateOf(reason: string | undefined, isDone: boolean): CellState {
  if (reason === undefined) return isDone ? 'done' : 'later';
  return reason === 'new' || reason === 'retry' ? 'new' : 'changed';
}

const marks: Record<CellState, string> = { new: 'new', changed: 'again', done: '·', later: '…' };

/** For people: models down, colorways across; the first few of both. */
export function gridLines({ models, colorways, cells, toDo, rows }: GridReport): string[] {
  const shown = colorways.slice(0, colorwaysShown);
  const heads = ['', ...shown.map(cut)];
  const lines = rows.map(({ model, cells: states }) => [
    cut(model),
    ...shown.map((name) => (states[name] === undefined ? '' : marks[states[name]])),
  ]);
  const widths = heads.map((head, at) =>
    Math.max(head.length, ...lines.map((line) => line[at]?.length ?? 0)),
  );
  const text = (line: readonly string[]) =>
    `  ${line.map((part, at) => part.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd();
  const sizes = `${count(models, 'model')} × ${count(colorways.length, 'colorway')}`;
  const more = [
    ...(models > rows.length ? [count(models - rows.length, 'more model')] : []),
    ...(colorways.length > shown.length
      ? [count(colorways.length - shown.length, 'more colorway')]
      : []),
  ];
  return [
    `grid      ${sizes}: ${count(cells, 'cell')}, ${toDo} to do`,
    text(heads),
    ...lines.map(text),
    ...(more.length > 0 ? [`  and ${more.join(' and ')}`] : []),
  ];
}

function cut(name: string): string {
  return name.length <= nameAtMost ? name : `${name.slice(0, nameAtMost - 1)}…`;
}
