// All recipes that a pipeline has had, with their stages. They show, by a record's name, what can be reused of it.

import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';
import { fingerprintOf, formatDelivery, type RowSource } from '../../plan/rows.ts';
import { compareStages, type ReusableStages, workStages } from '../../plan/stages.ts';
import type { DeliveryStage, Stages, WorkStage } from '../../plan/types.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import { ignoreDamage, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey, recipeTokenOf } from '../objects/object-name.ts';
import { PromiseCache } from '../objects/promise-cache.ts';
import { assetRecipeOf, parseRowStages, type RecipeSource } from './asset-recipe.ts';

/** Maximum number of recipes that are read. If a pipeline had more, some assets start again from their files. */
const maxRead = 1_000;

interface RecipeObject {
  recipe: string;
  stages: Stages;
}

export type KnownRecipes = ReadonlyMap<string, Stages>;

export class Recipes {
  readonly #recipes: JsonFolder<RecipeObject>;
  readonly #currentRecipe: string;
  readonly #knownRecipes = new PromiseCache<KnownRecipes>();

  /** @param currentRecipe recipe of the run */
  constructor(objects: JsonObjects, currentRecipe: string) {
    this.#recipes = new JsonFolder(objects, 'recipes', 'renderline/recipe/v1');
    this.#currentRecipe = currentRecipe;
  }

  async write(recipe: string, stages: Stages): Promise<void> {
    await this.#recipes.write(encodeKey(recipe), { recipe, stages }, { ifAbsent: true });
    this.#knownRecipes.forget('');
  }

  /** True if a run of the pipeline has stored its recipe. Not cached, because a drive may be mounted meanwhile. */
  async hasAny(): Promise<boolean> {
    return (await this.#recipes.names()).length > 0;
  }

  /** Reads the stored recipes, cached until `write`. Damaged ones are left out. */
  readKnown(): Promise<KnownRecipes> {
    return this.#knownRecipes.getOrStart('', () => this.#read());
  }

  async #read(): Promise<KnownRecipes> {
    const allNames = await this.#recipes.names();
    const names = new Set([encodeKey(this.#currentRecipe), ...allNames.slice(-maxRead)]);
    const read = (name: string) => this.#recipes.read(name).catch(ignoreDamage);
    const recipes = (await mapBounded([...names], read)).filter((recipe) => recipe !== null);
    return new Map(recipes.map(({ recipe, stages }) => [recipe, stages]));
  }
}

/**
 * Returns the stages under which an asset was created, or null if the recipe is unknown. The recipe of an asset depends
 * on its positions in the grid and on its row.
 * @param recipe recipe of the asset, or its token in a record's name, found only for the row of `source` or none
 */
export function findStages(
  knownRecipes: KnownRecipes,
  recipe: string,
  source: RecipeSource,
): Stages | null {
  const token = recipeTokenOf(recipe);
  const { cell, row } = source;
  const stagesOfRow = parseRowStages(recipe);
  // A token does not contain the row, so the recipe is tried with the current row, then without one.
  const rows = stagesOfRow ? [{ values: {}, stages: stagesOfRow }] : [row, undefined];
  for (const was of new Set(rows)) {
    const recipeSource: RecipeSource = omitUndefined({ cell, row: was });
    for (const [knownRecipe, stages] of knownRecipes) {
      if (tokenOf(knownRecipe, recipeSource) === token) return addRowToStages(stages, recipeSource);
    }
  }
  return null;
}

/**
 * Determines which stages of an asset with another recipe can be reused.
 * @param was the asset's recipe, or its token
 * @param currentRecipe recipe of the pipeline
 * @param stages stages of the current recipe. Defaults to the stored ones
 */
export function computeReusableStages(
  knownRecipes: KnownRecipes,
  {
    was,
    currentRecipe,
    stages = knownRecipes.get(currentRecipe),
  }: { was: string; currentRecipe: string; stages?: Stages | undefined },
  source: RecipeSource,
): ReusableStages {
  if (tokenOf(currentRecipe, source) === recipeTokenOf(was)) return workStages;
  if (!stages) return [];
  return compareStages(findStages(knownRecipes, was, source), addRowToStages(stages, source));
}

/** Returns the pipeline's stages for one asset. Each also depends on the values of the row that the stage reads. */
export function addRowToStages(stages: Stages, source: RowSource): Stages {
  const { row } = source;
  if (row?.stages === undefined) return stages;
  const ofWork = workStages.map((stage): [WorkStage, string] => [
    stage,
    row.stages?.[stage] === undefined ? stages[stage] : `${stages[stage]}.${row.stages[stage]}`,
  ]);
  const deliveries = Object.entries(stages.deliveries).map(
    ([node, { fingerprint, connector }]): [string, DeliveryStage] => [
      node,
      { fingerprint: formatDelivery(fingerprint, node, source), connector },
    ],
  );
  return { ...stages, ...Object.fromEntries(ofWork), deliveries: Object.fromEntries(deliveries) };
}

function tokenOf(pipeline: string, source: RecipeSource): string {
  return recipeTokenOf(assetRecipeOf(pipeline, source));
}

/** Returns the connector names of a recipe's exports by the fingerprint of their deliveries. */
export function connectorsOfRecipe(stages: Stages | undefined): Map<string, string> {
  const deliveries = Object.values(stages?.deliveries ?? {});
  return new Map(deliveries.map(({ fingerprint, connector }) => [fingerprint, connector]));
}

/** Returns a function that finds the connector name of a delivery, under any known recipe and any row. */
export function createConnectorFinder(
  knownRecipes: KnownRecipes,
): (delivery: string) => string | undefined {
  const allStages = [...knownRecipes.values()];
  const connectors = new Map(allStages.flatMap((stages) => [...connectorsOfRecipe(stages)]));
  return (delivery) => connectors.get(fingerprintOf(delivery));
}

export interface CurrentPipeline {
  connectors: Readonly<Record<string, unknown>>;
  /** Stages of the current recipe. */
  stages: Stages | undefined;
}

/**
 * Like `createConnectorFinder`, for the connectors that a pipeline has now. If it no longer has the connector of a
 * delivery, for example because the connector was renamed, the connector that the same export uses now takes its place.
 */
export function createCurrentConnectorFinder(
  knownRecipes: KnownRecipes,
  { connectors, stages }: CurrentPipeline,
): (delivery: string) => string | undefined {
  const connectorOf = createConnectorFinder(knownRecipes);
  const allDeliveries = [...knownRecipes.values()].flatMap(({ deliveries }) =>
    Object.entries(deliveries),
  );
  const nodes = new Map(allDeliveries.map(([node, { fingerprint }]) => [fingerprint, node]));
  return (delivery) => {
    const name = connectorOf(delivery);
    if (name !== undefined && name in connectors) return name;
    return stages?.deliveries[nodes.get(fingerprintOf(delivery)) ?? '']?.connector;
  };
}
