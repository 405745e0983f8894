// Decides which recorded resources a file could use again, with any parameters of its earlier runs. Pure.

import { ExpressionError } from '../../language/expressions.ts';
import { memoize } from '../../plan/helpers/memoize.ts';
import { compareStages } from '../../plan/stages.ts';
import type { AssetSource, Stages } from '../../plan/types.ts';
import type { Grid } from '../discovery/grid/grid.ts';
import { assetRecipeOf } from '../records/asset-recipe.ts';
import { isCell, modelKeyOf } from '../records/cell-keys.ts';
import { findStages, type KnownRecipes } from '../records/recipes.ts';
import type { AssetRecord } from '../records/records.ts';

/** The plan of the file with one set of parameters. */
export interface PlanUsage {
  recipe: string;
  stages: Stages;
  /** Null if the assets are not cells. `unknown` if the table cannot be read. */
  grid: Grid | null | 'unknown';
}

export class RecordUsage {
  readonly #plans: readonly PlanUsage[];
  readonly #knownRecipes: KnownRecipes;
  /** Lists the cells of a model once, because each of them has a record, and these records follow each other. */
  readonly #keysOf = memoize((grid: Grid) => memoize((model) => new Set(grid.keysOf(model)), 1));
  readonly #cellsOf = memoize(createCellLister);

  /** @param knownRecipes stages of earlier recipes */
  constructor(plans: readonly PlanUsage[], knownRecipes: KnownRecipes = new Map()) {
    this.#plans = plans;
    this.#knownRecipes = knownRecipes;
  }

  /** Returns the record with its earlier recipes whose work some plan could reuse. Its own ids are always in use. */
  used(record: AssetRecord): AssetRecord {
    const { earlier } = record;
    if (earlier === undefined) return record;
    return { ...record, earlier: earlier.filter(({ recipe }) => this.#isUsed(recipe, record)) };
  }

  /** True for the record of a cell that no plan creates any longer. */
  isRemoved(record: AssetRecord): boolean {
    if (!isCell(record)) return false;
    return this.#plans.every(
      ({ grid }) =>
        grid === null ||
        (grid !== 'unknown' && !this.#keysOf(grid)(modelKeyOf(record)).has(record.key)),
    );
  }

  #isUsed(recipe: string, record: AssetRecord): boolean {
    return this.#plans.some((plan) => {
      if (plan.grid === 'unknown') return true;
      if (!isCell(record)) return this.#isUsedBy(plan, recipe, record.source);
      if (plan.grid === null) return false;
      const { cell: _cell, ...source } = record.source;
      const cells = this.#cellsOf(plan.grid)(modelKeyOf(record), source);
      if (cells === 'unknown') return true;
      const cellSource = cells.get(record.key);
      return cellSource !== undefined && this.#isUsedBy(plan, recipe, cellSource);
    });
  }

  #isUsedBy(plan: PlanUsage, recipe: string, source: AssetSource): boolean {
    if (assetRecipeOf(plan.recipe, source) === recipe) return true;
    const stages = findStages(this.#knownRecipes, recipe, source);
    return compareStages(stages, plan.stages).includes('composition');
  }
}

type Cells = Map<string, AssetSource> | 'unknown';

/** Returns a function that lists the cells of a model by key, and remembers those of the last model. */
function createCellLister(grid: Grid): (model: string, source: AssetSource) => Cells {
  let lastId = '';
  let cells: Cells = 'unknown';
  return (model, source) => {
    const id = JSON.stringify([model, source]);
    if (id !== lastId) cells = listCells(grid, model, source);
    lastId = id;
    return cells;
  };
}

/** Returns `unknown` if a condition of the grid fails for the model. */
function listCells(grid: Grid, model: string, source: AssetSource): Cells {
  try {
    return new Map(grid.cellsOf(model, source).map((cell) => [cell.key, cell.source]));
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return 'unknown';
  }
}
