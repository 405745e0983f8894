// The cells of models, as far as discovery must know them.
import type { Cell } from '../../../plan/grid.ts';
import type { AssetSource, Failure } from '../../../plan/types.ts';

/** The cells of models, as far as discovery needs them. */
export interface Grid {
  /** Keys of the assets that a model may become. */
  readonly keysOf: (model: string) => readonly string[];
  /**
   * The assets of a model, in the order of the grid.
   * @throws ExpressionError if a condition of the grid fails for the model
   */
  readonly cellsOf: (model: string, source: AssetSource) => { key: string; source: AssetSource }[];
  /** Failures of the grid that concern none of the models. */
  readonly refused: (models: readonly string[], node: string) => Failure[];
  /**
   * Where a table beside the pipeline file names something, for messages; empty if it does not.
   * @param cell only what is named for this cell
   */
  readonly locate: (name: string, cell?: Cell) => string;
}
