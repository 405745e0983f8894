// Reads many small objects and selects some of them by their bytes.
import type { Connector } from '../../connectors/connector.ts';
import { mapBounded } from '../objects/map-bounded.ts';

export interface TextReaderOptions {
  connector: Connector;
  /** Folder to which paths are relative. */
  base: string;
  /** True for the bytes of an object that is wanted. */
  isMatch: (bytes: Buffer) => boolean;
  maxConcurrent: number;
  signal: AbortSignal;
  onProgress: (read: number) => void;
}

type OnMatch<Item> = (object: Item, text: string) => void;

export class TextReader {
  readonly #options: TextReaderOptions;
  readonly #seenPaths = new Set<string>();
  readonly #damaged = new Set<string>();
  #count = 0;

  constructor(options: TextReaderOptions) {
    this.#options = options;
  }

  /** Number of objects read so far. */
  get count(): number {
    return this.#count;
  }

  /** Number of objects that `onText` could not parse. */
  get damagedCount(): number {
    return this.#damaged.size;
  }

  async readNew<Item extends { path: string }>(
    objects: readonly Item[],
    includesUnmatched: boolean,
    onText: OnMatch<Item>,
  ): Promise<void> {
    const newObjects = objects.filter(({ path }) => !this.#seenPaths.has(path));
    for (const { path } of newObjects) this.#seenPaths.add(path);
    return this.read(newObjects, includesUnmatched, onText);
  }

  /** Calls `onText` with each object that matches or, with `includesUnmatched`, with every object. */
  async read<Item extends { path: string }>(
    objects: readonly Item[],
    includesUnmatched: boolean,
    onText: OnMatch<Item>,
  ): Promise<void> {
    const { connector, base, isMatch, maxConcurrent, signal, onProgress } = this.#options;
    const readOne = async (object: Item) => {
      const bytes = await connector.read(`${base}/${object.path}`);
      this.#count += 1;
      onProgress(this.#count);
      // Searching bytes is far cheaper than parsing JSON, and most objects do not match.
      if (!includesUnmatched && !isMatch(bytes)) return;
      try {
        onText(object, bytes.toString('utf8'));
      } catch (error) {
        if (!(error instanceof SyntaxError)) throw error;
        this.#damaged.add(object.path);
      }
    };
    await mapBounded(objects, readOne, { maxConcurrent, signal });
  }
}
