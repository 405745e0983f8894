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
  /** Lists the cells of each model once, because each of them has a record. */
  readonly #keysOf = memoize((grid: Grid) => memoize((model) => new Set(grid.keysOf(model))));

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
      const cells = cellsOf(record, plan.grid);
      if (cells === 'unknown') return true;
      const cell = cells.find(({ key }) => key === record.key);
      return cell !== undefined && this.#isUsedBy(plan, recipe, cell.source);
    });
  }

  #isUsedBy(plan: PlanUsage, recipe: string, source: AssetSource): boolean {
    if (assetRecipeOf(plan.recipe, source) === recipe) return true;
    const stages = findStages(this.#knownRecipes, recipe, source);
    return compareStages(stages, plan.stages).includes('composition');
  }
}

/** Returns the cells of a record's model, or `unknown` if a condition of the grid fails for the model. */
function cellsOf(record: AssetRecord, grid: Grid | null): ReturnType<Grid['cellsOf']> | 'unknown' {
  const { cell: _cell, ...source } = record.source;
  try {
    return grid?.cellsOf(modelKeyOf(record), source) ?? [];
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return 'unknown';
  }
}
