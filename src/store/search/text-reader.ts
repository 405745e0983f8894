// Reads many small objects and selects those that contain one of some texts.
import type { Connector } from '../../connectors/connector.ts';
import { mapBounded } from '../objects/map-bounded.ts';

export interface TextReaderOptions {
  connector: Connector;
  /** Folder that paths are relative to. */
  base: string;
  needles: readonly string[];
  maxConcurrent: number;
  signal: AbortSignal;
  /** Called with the number of objects that have been read. */
  onProgress: (read: number) => void;
}

type OnText<Item> = (object: Item, text: string) => void;

export class TextReader {
  readonly #options: TextReaderOptions;
  readonly #needles: readonly Buffer[];
  readonly #seen = new Set<string>();
  readonly #damaged = new Set<string>();
  #count = 0;

  constructor(options: TextReaderOptions) {
    this.#options = options;
    this.#needles = options.needles.map((text) => Buffer.from(text));
  }

  /** Number of objects read so far. */
  get count(): number {
    return this.#count;
  }

  /** Number of objects that `onText` could not parse. */
  get damaged(): number {
    return this.#damaged.size;
  }

  async readNew<Item extends { path: string }>(
    objects: readonly Item[],
    includesUnmatched: boolean,
    onText: OnText<Item>,
  ): Promise<void> {
    const fresh = objects.filter(({ path }) => !this.#seen.has(path));
    for (const { path } of fresh) this.#seen.add(path);
    return this.read(fresh, includesUnmatched, onText);
  }

  /** Calls `onText` with each object that contains a needle; with `includesUnmatched`, with every object. */
  async read<Item extends { path: string }>(
    objects: readonly Item[],
    includesUnmatched: boolean,
    onText: OnText<Item>,
  ): Promise<void> {
    const { connector, base, maxConcurrent, signal, onProgress } = this.#options;
    const readOne = async (object: Item) => {
      const bytes = await connector.read(`${base}/${object.path}`);
      this.#count += 1;
      onProgress(this.#count);
      // Searching bytes is far cheaper than parsing JSON, and most objects do not match.
      if (!includesUnmatched && !this.#needles.some((needle) => bytes.includes(needle))) return;
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
