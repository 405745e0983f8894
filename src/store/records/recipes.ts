// All recipes that a pipeline has had, each with its stages. With them, the recipe in a record's name tells which stages
// can be reused under the current recipe.

import type { CellSource } from '../../plan/grid.ts';
import { type ReusableStages, reusableStages, workStages } from '../../plan/stages.ts';
import type { Stages } from '../../plan/types.ts';
import { DamagedObjectError, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { encodeKey, recipeToken } from '../objects/object-name.ts';
import { recipeOf } from './asset-recipe.ts';

const folder = 'recipes';
const schema = 'renderline/recipe/v1';
/** If a pipeline was changed more often, some assets start again from their files. */
const maxRead = 1_000;

interface RecipeObject {
  schema: typeof schema;
  recipe: string;
  stages: Stages;
}

/** Stages by the recipe of the pipeline. */
export type KnownRecipes = ReadonlyMap<string, Stages>;

export class Recipes {
  readonly #objects: JsonObjects;
  readonly #now: string;
  #known: Promise<KnownRecipes> | undefined;

  /** @param now recipe of the run */
  constructor(objects: JsonObjects, now: string) {
    this.#objects = objects;
    this.#now = now;
  }

  /** Stores the stages of a recipe. */
  async keep(recipe: string, stages: Stages): Promise<void> {
    const value: RecipeObject = { schema, recipe, stages };
    await this.#objects.write(`${folder}/${nameOf(recipe)}`, value, { ifAbsent: true });
    this.#known = undefined;
  }

  /** Read once. Recipes that cannot be read are left out. */
  known(): Promise<KnownRecipes> {
    const reading = this.#known ?? this.#read();
    this.#known = reading;
    reading.catch(() => (this.#known = undefined));
    return reading;
  }

  async #read(): Promise<KnownRecipes> {
    const all = await this.#objects.names(folder);
    const names = new Set([nameOf(this.#now), ...all.slice(-maxRead)]);
    const read = async (name: string) => {
      try {
        return await this.#objects.read<RecipeObject>(`${folder}/${name}`, schema);
      } catch (error) {
        if (error instanceof DamagedObjectError) return null;
        throw error;
      }
    };
    const found = (await mapBounded([...names], read)).filter((one) => one !== null);
    return new Map(found.map(({ recipe, stages }) => [recipe, stages] as const));
  }
}

function nameOf(recipe: string): string {
  return `${encodeKey(recipe)}.json`;
}

/**
 * The stages that an asset was made under; null if the recipe is unknown. The recipe of an asset depends on its positions
 * in the grid.
 * @param recipe of the asset, or its token in the name of a record
 */
export function stagesUnder(
  known: KnownRecipes,
  recipe: string,
  source: CellSource,
): Stages | null {
  const token = recipeToken(recipe);
  for (const [one, stages] of known) if (tokenOf(one, source) === token) return stages;
  return null;
}

/**
 * The stages that can be reused of an asset made under another recipe.
 * @param was the asset's recipe, or its token
 * @param now recipe of the pipeline
 * @param stages of the current recipe; absent: those that are stored
 */
export function stagesReusableUnder(
  known: KnownRecipes,
  { was, now, stages = known.get(now) }: { was: string; now: string; stages?: Stages | undefined },
  source: CellSource,
): ReusableStages {
  if (tokenOf(now, source) === recipeToken(was)) return workStages;
  return stages ? reusableStages(stagesUnder(known, was, source), stages) : [];
}

/** Token of the recipe of an asset with this source. */
function tokenOf(pipeline: string, source: CellSource): string {
  return recipeToken(recipeOf(pipeline, source));
}
