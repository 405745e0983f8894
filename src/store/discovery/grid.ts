// The colorways and views of models, as far as discovery must know them.
import type { AssetSource, Failure } from '../../plan/types.ts';

/** The colorways and views of models, as far as discovery needs them. */
export interface Grid {
  /** Keys of the assets that a model may become. */
  readonly keysOf: (model: string) => readonly string[];
  /** The assets of a model, in the order of the grid. */
  readonly cellsOf: (model: string, source: AssetSource) => { key: string; source: AssetSource }[];
  /** Failures of the grid that concern none of the models. */
  readonly refused: (models: readonly string[], node: string) => Failure[];
  /** Where a table names a material or a slot of a cell, for messages; empty if it does not. */
  readonly locateMaterial?: (material: string) => string;
  readonly locateSlot?: (cell: { model: string; name: string }, slot: string) => string;
}
