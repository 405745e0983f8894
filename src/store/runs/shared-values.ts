// Values that a run writes to resources that several assets share, such as the inks of a logo. Each value is written
// once, and no two assets may write different values.
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { hashOf, runFolder } from '../objects/object-name.ts';

export interface SharedValue {
  id: string;
  /** Hash of the value. Assets with the same fingerprint agree. */
  fingerprint: string;
  /** Key of the asset that was first to claim the value. */
  asset: string;
  isWritten: boolean;
  warnings: string[];
}

export class SharedValues {
  readonly #values: JsonFolder<SharedValue>;

  constructor(objects: JsonObjects, run: string) {
    const folder = `${runFolder(run)}/shared`;
    this.#values = new JsonFolder(objects, folder, 'renderline/shared-value/v1');
  }

  /** Stores the value unless the run has one for the resource. Returns the value that stands. */
  async claim(claim: Pick<SharedValue, 'id' | 'fingerprint' | 'asset'>): Promise<SharedValue> {
    const { id, fingerprint, asset } = claim;
    const name = hashOf(id);
    const existingValue = await this.#values.read(name);
    if (existingValue !== null) return existingValue;
    const value = { id, fingerprint, asset, isWritten: false, warnings: [] };
    const outcome = await this.#values.write(name, value, { ifAbsent: true });
    if (outcome === 'written') return value;
    return (await this.#values.read(name)) ?? value;
  }

  async finish(value: SharedValue, warnings: readonly string[]): Promise<SharedValue> {
    const finishedValue = { ...value, isWritten: true, warnings: [...warnings] };
    await this.#values.write(hashOf(value.id), finishedValue);
    return finishedValue;
  }
}
