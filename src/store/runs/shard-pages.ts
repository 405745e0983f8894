// What activities found out about the assets of a shard, a page for each activity: platform ids, outputs, files, warnings,
// failures. Workflows carry the names of pages only. A page is written once, under a name that no other attempt has, and never changes.
import type { Connector } from '../../connectors/connector.ts';
import type { Refs } from '../../plan/refs.ts';
import type { DeliveredFile } from '../../plan/types.ts';
import { mapBounded } from '../objects/bounded.ts';
import { byteParts } from '../objects/byte-parts.ts';
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey } from '../objects/object-name.ts';

const schema = 'renderline/shard-page/v1';
/** Pages that a process keeps at hand, by their size. */
const keptBytes = 32 * 1024 * 1024;

/** What one step found out about one asset. */
export interface AssetPatch {
  /** Position in the shard's page of the manifest. */
  at: number;
  refs?: Refs;
  /** Refs that hold no more. */
  forget?: (keyof Refs)[];
  files?: DeliveredFile[];
  warnings?: string[];
  failure?: { code: string; message: string; attempts: number };
  /** Step that the asset is to go back to. */
  redo?: string;
  /** Times that it went back so far, by the step that it went back to; of folded pages only. */
  redone?: Record<string, number>;
  /** The platform would not cancel its render. */
  renderGoesOn?: true;
}

export interface ShardPage {
  schema: typeof schema;
  /** Node of the file that it comes from; empty where none is. */
  node: string;
  patches: AssetPatch[];
}

export class ShardPages {
  readonly #objects: JsonObjects;
  readonly #folder: string;
  readonly #kept: KeptPages;

  constructor(objects: JsonObjects, kept: KeptPages, run: string, shard: number) {
    this.#objects = objects;
    this.#kept = kept;
    this.#folder = `runs/${encodeKey(run)}/pages/${String(shard).padStart(5, '0')}`;
  }

  /** @param name that no other attempt of any activity has. Answers the names to read it by: none without patches. */
  async write(name: string, node: string, patches: readonly AssetPatch[]): Promise<string[]> {
    const names: string[] = [];
    for (const { items, bytes } of byteParts(patches)) {
      const partName = names.length === 0 ? name : `${name}.${names.length + 1}`;
      const page: ShardPage = { schema, node, patches: items };
      // Durable: the workflow relies on it from here on.
      await this.#objects.write(this.#pathOf(partName), page, { durable: true });
      this.#kept.put(this.#keyOf(partName), page, bytes);
      names.push(partName);
    }
    return names;
  }

  /** In the order of the names. */
  read(names: readonly string[], signal?: AbortSignal): Promise<ShardPage[]> {
    return mapBounded(names, (name) => this.#read(name), { signal });
  }

  async #read(name: string): Promise<ShardPage> {
    const known = this.#kept.get(this.#keyOf(name));
    if (known) return known;
    const path = this.#pathOf(name);
    const page = await this.#objects.read<ShardPage>(path, schema);
    if (page === null) {
      throw new Error(
        `${path} is gone, which a running run relies on; cancel the run and start another`,
      );
    }
    this.#kept.put(this.#keyOf(name), page, Buffer.byteLength(JSON.stringify(page)));
    return page;
  }

  #pathOf(name: string): string {
    return `${this.#folder}/${name}.json`;
  }

  #keyOf(name: string): string {
    return `${this.#objects.base}/${this.#pathOf(name)}`;
  }
}

/** The pages used last. They never change, so that nothing in it grows old. */
export class KeptPages {
  readonly #pages = new Map<string, { page: ShardPage; bytes: number }>();
  #bytes = 0;

  get(key: string): ShardPage | undefined {
    const found = this.#pages.get(key);
    if (!found) return undefined;
    // Used last stands last, so the oldest are the first.
    this.#pages.delete(key);
    this.#pages.set(key, found);
    return found.page;
  }

  put(key: string, page: ShardPage, bytes: number): void {
    this.#bytes += bytes - (this.#pages.get(key)?.bytes ?? 0);
    this.#pages.delete(key);
    this.#pages.set(key, { page, bytes });
    for (const [oldest, { bytes: freed }] of this.#pages) {
      if (this.#bytes <= keptBytes) return;
      this.#pages.delete(oldest);
      this.#bytes -= freed;
    }
  }
}

const byConnector = new WeakMap<Connector, KeptPages>();

/** One set a records connector, so that the activities of a worker share it. */
export function keptPagesOf(connector: Connector): KeptPages {
  const known = byConnector.get(connector);
  if (known) return known;
  const pages = new KeptPages();
  byConnector.set(connector, pages);
  return pages;
}
