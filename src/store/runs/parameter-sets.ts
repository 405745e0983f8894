// Parameter sets of a pipeline's runs, each stored once, so that its work is reused whenever the set comes back.
import type { Json } from '../../plan/types.ts';
import { type JsonObjects, nullWhereDamaged } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { hashOf } from '../objects/object-name.ts';

const folder = 'parameters';
const schema = 'renderline/parameters/v1';
/** Maximum number of sets that are read: `renderline clean` compiles the pipeline with each of them. */
const maxRead = 1_000;

type Parameters = { readonly [name: string]: Json };

interface ParameterSet {
  schema: typeof schema;
  parameters: Parameters;
}

export class ParameterSets {
  readonly #objects: JsonObjects;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  async write(parameters: Parameters): Promise<void> {
    const sorted = Object.entries(parameters).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const value: ParameterSet = { schema, parameters: Object.fromEntries(sorted) };
    const path = `${folder}/${hashOf(JSON.stringify(sorted))}.json`;
    await this.#objects.write(path, value, { ifAbsent: true });
  }

  /** All sets; null if there are too many or one is damaged: then nobody knows which resources are in use. */
  async all(signal?: AbortSignal): Promise<Parameters[] | null> {
    const names = await this.#objects.names(folder, signal);
    if (names.length > maxRead) return null;
    const read = (name: string) => this.#objects.read<ParameterSet>(`${folder}/${name}`, schema);
    const sets = await mapBounded(names, read, { signal }).catch(nullWhereDamaged);
    return sets?.flatMap((set) => (set === null ? [] : [set.parameters])) ?? null;
  }
}
