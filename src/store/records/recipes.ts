// The recipes that a pipeline has had, each with its stages: so a record tells, by the recipe in its name, what of it stands
// under the recipe of now.
import { makingStages, type Standing, standingOf } from '../../plan/stages.ts';
import type { AssetSource, Stages } from '../../plan/types.ts';
import { mapBounded } from '../objects/bounded.ts';
import { DamagedObjectError, type JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, recipeToken } from '../objects/object-name.ts';
import { recipeOf } from './asset-recipe.ts';

const folder = 'recipes';
const schema = 'renderline/recipe/v1';
/** Of a pipeline that was changed more often some assets begin at their files. */
const readAtMost = 1_000;

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

  /** Keeps what a recipe consists of. */
  async keep(recipe: string, stages: Stages): Promise<void> {
    const value: RecipeObject = { schema, recipe, stages };
    await this.#objects.write(`${folder}/${nameOf(recipe)}`, value, { ifAbsent: true });
    this.#known = undefined;
  }

  /** Each also under the name that versions before stages gave it. Read once; a recipe that cannot be read is not known. */
  known(): Promise<KnownRecipes> {
    const reading = this.#known ?? this.#read();
    this.#known = reading;
    reading.catch(() => (this.#known = undefined));
    return reading;
  }

  async #read(): Promise<KnownRecipes> {
    const all = await this.#objects.names(folder);
    const names = new Set([nameOf(this.#now), ...all.slice(-readAtMost)]);
    const read = async (name: string) => {
      try {
        return await this.#objects.read<RecipeObject>(`${folder}/${name}`, schema);
      } catch (error) {
        if (error instanceof DamagedObjectError) return null;
        throw error;
      }
    };
    const found = (await mapBounded([...names], read)).filter((one) => one !== null);
    return new Map([
      ...found.map(({ stages }) => [stages.before, stages] as const),
      ...found.map(({ recipe, stages }) => [recipe, stages] as const),
    ]);
  }
}

function nameOf(recipe: string): string {
  return `${encodeKey(recipe)}.json`;
}

type Look = Pick<AssetSource, 'colorway' | 'view'>;

/**
 * Stages that an asset was made under; null where nobody knows the recipe. In another colorway or view it has another one.
 * @param recipe of the asset, or its token in the name of a record
 */
export function stagesUnder(known: KnownRecipes, recipe: string, look: Look): Stages | null {
  const token = recipeToken(recipe);
  for (const [one, stages] of known) if (tokenOf(one, look) === token) return stages;
  return null;
}

/**
 * What stands of an asset that was made under a recipe.
 * @param was the asset's recipe, or its token
 * @param now recipe of the pipeline
 * @param stages of it; absent: those that are known
 */
export function standingUnder(
  known: KnownRecipes,
  { was, now, stages = known.get(now) }: { was: string; now: string; stages?: Stages | undefined },
  look: Look,
): Standing {
  if (tokenOf(now, look) === recipeToken(was)) return makingStages;
  return standingOf(stagesUnder(known, was, look), stages ?? null);
}

/** Token of the recipe of an asset that looks so. */
function tokenOf(pipeline: string, look: Look): string {
  return recipeToken(recipeOf(pipeline, look));
}
