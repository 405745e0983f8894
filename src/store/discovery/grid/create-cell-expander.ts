// Creates the cells of models, and refuses the models that fail a condition of the grid.
import { ExpressionError } from '../../../language/expressions.ts';
import type { Failure } from '../../../plan/types.ts';
import { sourceFailure } from '../asset-keys.ts';
import type { ListedSource } from '../listed-source.ts';
import type { Grid } from './grid.ts';

interface CellExpander {
  expand<Model extends ListedSource & { key: string }>(model: Model): Model[];
  readonly refusals: Failure[];
}

export function createCellExpander({ cellsOf }: Grid, node: string): CellExpander {
  const refusals: Failure[] = [];
  return {
    refusals,
    expand(model) {
      try {
        return cellsOf(model.key, model.source).map((cell) => ({ ...model, ...cell }));
      } catch (error) {
        if (!(error instanceof ExpressionError)) throw error;
        refusals.push(sourceFailure(error.failure, model.unkeyed.label, node, error.message));
        return [];
      }
    },
  };
}
