// Parameter sets of a pipeline's runs, each stored once, so that its work is reused whenever the set recurs.
import type { Json } from '../../plan/types.ts';
import { JsonFolder } from '../objects/json-folder.ts';
import { ignoreDamage, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { hashOf } from '../objects/object-name.ts';

/** Maximum number of sets that are read, because `renderline clean` compiles the pipeline with each of them. */
const maxRead = 1_000;

type Parameters = { readonly [name: string]: Json };

export class ParameterSets {
  readonly #sets: JsonFolder<{ parameters: Parameters }>;

  constructor(objects: JsonObjects) {
    this.#sets = new JsonFolder(objects, 'parameters', 'renderline/parameters/v1');
  }

  async write(parameters: Parameters): Promise<void> {
    const sorted = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const set = { parameters: Object.fromEntries(sorted) };
    await this.#sets.write(hashOf(JSON.stringify(sorted)), set, { ifAbsent: true });
  }

  /** Returns all sets, or null if there are too many or one is damaged, because resource use is then unknown. */
  async all(signal?: AbortSignal): Promise<Parameters[] | null> {
    const names = await this.#sets.names(undefined, signal);
    if (names.length > maxRead) return null;
    const read = (name: string) => this.#sets.read(name);
    const sets = await mapBounded(names, read, { signal }).catch(ignoreDamage);
    return sets?.flatMap((set) => (set === null ? [] : [set.parameters])) ?? null;
  }
}
