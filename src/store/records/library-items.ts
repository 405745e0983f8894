// Library materials that a pipeline has created or changed. They belong to no single asset, so no record has them.
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';

const schema = 'renderline/library-item/v1';
const folder = 'library';

export interface LibraryItem {
  schema: typeof schema;
  node: string;
  name: string;
  materialId: string;
  /** The Pantone that a run has written to the material, such as `289 C #0c2340`. */
  pantone: string;
  /** When a run created the material, by the platform's clock; null if the material existed before. */
  createdAtMs: number | null;
}

export class LibraryItems {
  readonly #objects: JsonObjects;

  constructor(objects: JsonObjects) {
    this.#objects = objects;
  }

  /** The items of a node; of all nodes if `node` is absent. */
  read(node?: string, signal?: AbortSignal): Promise<LibraryItem[]> {
    return this.#objects.readAll(node === undefined ? folder : folderOf(node), schema, signal);
  }

  find(item: Pick<LibraryItem, 'node' | 'name'>): Promise<LibraryItem | null> {
    return this.#objects.read<LibraryItem>(pathOf(item), schema);
  }

  async write(fields: Omit<LibraryItem, 'schema'>): Promise<LibraryItem> {
    const item: LibraryItem = { schema, ...fields };
    await this.#objects.write(pathOf(item), item);
    return item;
  }

  async remove(item: Pick<LibraryItem, 'node' | 'name'>): Promise<void> {
    await this.#objects.remove(pathOf(item));
  }
}

function folderOf(node: string): string {
  return `${folder}/${encodeKey(node)}`;
}

function pathOf({ node, name }: Pick<LibraryItem, 'node' | 'name'>): string {
  return `${folderOf(node)}/${hashOf(name)}.json`;
}
