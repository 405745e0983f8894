// The interface between discovery and the grid of a pipeline.
import type { Cell } from '../../../plan/grid.ts';
import type { AssetSource, Failure } from '../../../plan/types.ts';

export interface Grid {
  readonly keysOf: (model: string) => readonly string[];
  /** The assets of a model, in the order of the grid. @throws ExpressionError if a condition fails for the model */
  readonly cellsOf: (model: string, source: AssetSource) => { key: string; source: AssetSource }[];
  /** Failures of the grid that belong to none of these models. */
  readonly failuresOf: (models: readonly string[], node: string) => Failure[];
  /**
   * Position of a name in the tables next to the pipeline file, for messages. Empty if no table has the name.
   * @param cell searches only what the tables contain for this cell
   */
  readonly locate: (name: string, cell?: Cell) => string;
}
