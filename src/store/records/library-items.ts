// Library materials that a pipeline has created or changed. No record contains them, because no asset owns them.
import { JsonFolder } from '../objects/json-folder.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';

export interface LibraryItem {
  node: string;
  name: string;
  materialId: string;
  /** The Pantone colour that a run has written to the material, such as `289 C #0c2340`. */
  pantone: string;
  /** When a run created the material, by the platform's clock. Null if the material existed before. */
  createdAtMs: number | null;
}

type ItemName = Pick<LibraryItem, 'node' | 'name'>;

export class LibraryItems {
  readonly #items: JsonFolder<LibraryItem>;

  constructor(objects: JsonObjects) {
    this.#items = new JsonFolder(objects, 'library', 'renderline/library-item/v1');
  }

  /** Returns the items of a node, or of all nodes if `node` is absent. */
  read(node?: string, signal?: AbortSignal): Promise<LibraryItem[]> {
    return this.#items.readAll(node === undefined ? undefined : encodeKey(node), signal);
  }

  find(item: ItemName): Promise<LibraryItem | null> {
    return this.#items.read(nameOf(item));
  }

  async write(item: LibraryItem): Promise<LibraryItem> {
    await this.#items.write(nameOf(item), item);
    return item;
  }

  async remove(item: ItemName): Promise<void> {
    await this.#items.remove(nameOf(item));
  }
}

function nameOf({ node, name }: ItemName): string {
  return `${encodeKey(node)}/${hashOf(name)}`;
}
