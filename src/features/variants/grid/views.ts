// Expands each asset into one asset per view. Pure.
import type { Plan } from '../../../plan/types.ts';
import type { Grid } from '../../../store/discovery/grid.ts';
import { cellKey } from '../../../store/records/cell-keys.ts';

/** @param grid the colorway grid; null if models themselves are expanded */
export function withViews(grid: Grid | null, views: NonNullable<Plan['discovery']['views']>): Grid {
  return {
    ...grid,
    keysOf: (model) =>
      (grid?.keysOf(model) ?? [model]).flatMap((of) => views.map(({ name }) => cellKey(of, name))),
    cellsOf: (model, source) =>
      (grid?.cellsOf(model, source) ?? [{ key: model, source }]).flatMap((viewed) =>
        views.map(({ name, fingerprint }) => ({
          key: cellKey(viewed.key, name),
          source: { ...viewed.source, view: { name, of: viewed.key, fingerprint } },
        })),
      ),
    refused: (models, node) => grid?.refused(models, node) ?? [],
  };
}
