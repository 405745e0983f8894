// Builders of grid cells.
import { type SwapRule, toRulesPayload } from '../../src/features/slots/swap-rule.ts';
import type { Cell, Position } from '../../src/plan/grid.ts';
import type { Grid } from '../../src/store/discovery/grid/grid.ts';

/** The position of a colorway, by default with a material of the same name. */
export function colorway(
  name: string,
  rules: readonly SwapRule[] = [{ matchText: 'body', matchMode: 'exact', material: name }],
): Position {
  return { dimension: 'colorway', name, payload: toRulesPayload(rules) };
}

/** The position of a view. */
export function view(name: string, fingerprint: string = name): Position {
  return { dimension: 'view', name, payload: fingerprint };
}

/** A source at positions of the grid of its group. */
export function inCell<Source extends object>(
  source: Source,
  group: string,
  ...positions: Position[]
): Source & { cell: Cell } {
  return { ...source, cell: { group, positions } };
}

/** One cell per model, in the colorway Oak. */
export const inOak: Grid = {
  keysOf: (model) => [`${model}@Oak`],
  cellsOf: (model, source) => [
    { key: `${model}@Oak`, source: inCell(source, model, colorway('Oak')) },
  ],
  failuresOf: () => [],
  locate: () => '',
};
