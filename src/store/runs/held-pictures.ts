// New pictures that wait for a person, since they differ more from those before than their pipeline accepts.
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';
import type { ChangedFile } from './picture-changes.ts';

const schema = 'renderline/held-picture/v1';

export interface HeldPicture extends ChangedFile {
  /** Of the new picture, hex. */
  sha256: string;
  /** What part of it is not as before, 0 to 1. */
  share: number;
  /** Small JPEG of the picture that it would replace, as base64. */
  before: string;
  /** Small JPEG of the new picture, as base64. */
  after: string;
  accepted: boolean;
}

interface Kept extends HeldPicture {
  schema: typeof schema;
}

export class HeldPictures {
  readonly #objects: JsonObjects;
  readonly #folder: string;

  constructor(objects: JsonObjects, run: string) {
    this.#objects = objects;
    this.#folder = `runs/${encodeKey(run)}/held`;
  }

  /** Writes it down, also in place of another picture of the same name. */
  async write(picture: HeldPicture): Promise<void> {
    await this.#objects.write(this.#pathOf(picture), { schema, ...picture } satisfies Kept);
  }

  /** null where nothing was ever held of it. */
  read(file: ChangedFile): Promise<HeldPicture | null> {
    return this.#objects.read<Kept>(this.#pathOf(file), schema);
  }

  /** Those that wait, by key and path. */
  async waiting(): Promise<HeldPicture[]> {
    const pictures: HeldPicture[] = [];
    for (const name of await this.#objects.names(this.#folder)) {
      const kept = await this.#objects.read<Kept>(`${this.#folder}/${name}`, schema);
      if (kept && !kept.accepted) pictures.push(kept);
    }
    const order = ({ key, path }: HeldPicture) => JSON.stringify([key, path]);
    return pictures.sort((a, b) => (order(a) < order(b) ? -1 : 1));
  }

  /** Only these: what is held back later waits for somebody who has seen it. */
  async accept(pictures: readonly HeldPicture[]): Promise<void> {
    for (const picture of pictures) await this.write({ ...picture, accepted: true });
  }

  #pathOf({ key, path }: ChangedFile): string {
    return `${this.#folder}/${hashOf(JSON.stringify([key, path]))}.json`;
  }
}
