// Values that a run writes to resources that several assets share, such as the inks of a logo. Each value is written
// once, and no two assets may write different values.
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';

const schema = 'renderline/shared-value/v1';

export interface SharedValue {
  schema: typeof schema;
  /** Id of the resource on the platform. */
  id: string;
  /** Hash of the value; assets with the same fingerprint agree. */
  fingerprint: string;
  /** Key of the asset that was first to name the value. */
  asset: string;
  isWritten: boolean;
  warnings: string[];
}

export class SharedValues {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/shared`;
  }

  /** Stores the value unless the run has one for the resource. Returns the value that stands. */
  async claim({
    id,
    fingerprint,
    asset,
  }: Pick<SharedValue, 'id' | 'fingerprint' | 'asset'>): Promise<SharedValue> {
    const path = this.#pathOf(id);
    const existingValue = await this.#objects.read<SharedValue>(path, schema);
    if (existingValue !== null) return existingValue;
    const value: SharedValue = { schema, id, fingerprint, asset, isWritten: false, warnings: [] };
    const outcome = await this.#objects.write(path, value, { ifAbsent: true });
    if (outcome === 'written') return value;
    return (await this.#objects.read<SharedValue>(path, schema)) ?? value;
  }

  async finish(value: SharedValue, warnings: readonly string[]): Promise<SharedValue> {
    const finishedValue: SharedValue = { ...value, isWritten: true, warnings: [...warnings] };
    await this.#objects.write(this.#pathOf(value.id), finishedValue);
    return finishedValue;
  }

  #pathOf(id: string): string {
    return `${this.#folder}/${hashOf(id)}.json`;
  }
}
