// Compares two lists of files in the same order of assets, with only an asset's unmatched files in memory.
import { compareKeys } from '../../../store/runs/publications/delivered-assets.ts';
import type {
  PublishedAsset,
  PublishedFile,
} from '../../../store/runs/publications/publications.ts';

export type FileChange = PublishedFile & {
  /** `updated`: the same content and path, but other values in the columns. */
  change: 'added' | 'replaced' | 'renamed' | 'updated' | 'removed';
  /** Path until now; null unless the file was renamed. */
  previousFile: string | null;
};

export class FileComparison {
  readonly #before: AsyncIterator<PublishedAsset>;
  readonly #emit: (change: FileChange) => Promise<void>;
  /** By path: new files without an earlier file in their asset so far, and earlier files without a new one. */
  readonly #fresh = new Map<string, PublishedFile>();
  readonly #gone = new Map<string, PublishedFile>();
  #next: PublishedAsset | null | undefined;

  /**
   * @param before the earlier list
   * @param emit called for each change, in no particular order
   */
  constructor(before: AsyncIterator<PublishedAsset>, emit: (change: FileChange) => Promise<void>) {
    this.#before = before;
    this.#emit = emit;
  }

  /** Compares the files of an asset. Assets must be added in the order of `compareKeys`. */
  async add({ name, files }: PublishedAsset): Promise<void> {
    const before = new Map((await this.#filesOf(name)).map((file) => [file.path, file]));
    for (const file of files) {
      const old = before.get(file.path);
      before.delete(file.path);
      if (old) await this.#compare(old, file);
      else if (this.#next === null && this.#gone.size === 0) await this.#emit(added(file));
      else this.#fresh.set(file.path, file);
    }
    for (const file of before.values()) this.#gone.set(file.path, file);
  }

  /** Reports the files that were not compared within one asset. */
  async finish(): Promise<void> {
    for (let next = await this.#peek(); next !== null; next = await this.#peek()) {
      this.#skip(next);
    }
    for (const [path, file] of this.#fresh) {
      const old = this.#gone.get(path);
      if (old === undefined) continue;
      this.#fresh.delete(path);
      this.#gone.delete(path);
      await this.#compare(old, file);
    }
    const byContent = new Map([...this.#gone.values()].map((file) => [file.shows, file]));
    for (const file of this.#fresh.values()) {
      const old = byContent.get(file.shows);
      if (old === undefined || !this.#gone.delete(old.path)) await this.#emit(added(file));
      else await this.#emit({ ...file, change: 'renamed', previousFile: old.path });
    }
    for (const file of this.#gone.values()) {
      await this.#emit({ ...file, change: 'removed', previousFile: null });
    }
  }

  /** Returns the earlier files of an asset. Earlier assets that sort before it are recorded as gone. */
  async #filesOf(name: string): Promise<PublishedFile[]> {
    for (;;) {
      const next = await this.#peek();
      const order = next === null ? 1 : compareKeys(next.name, name);
      if (next === null || order > 0) return [];
      if (order === 0) {
        this.#next = undefined;
        return next.files;
      }
      this.#skip(next);
    }
  }

  #skip({ files }: PublishedAsset): void {
    for (const file of files) this.#gone.set(file.path, file);
    this.#next = undefined;
  }

  async #peek(): Promise<PublishedAsset | null> {
    if (this.#next === undefined) {
      const { value, done } = await this.#before.next();
      this.#next = done === true ? null : value;
    }
    return this.#next;
  }

  async #compare(old: PublishedFile, file: PublishedFile): Promise<void> {
    if (old.sha256 !== file.sha256) {
      await this.#emit({ ...file, change: 'replaced', previousFile: null });
    } else if (JSON.stringify(old.cells) !== JSON.stringify(file.cells)) {
      await this.#emit({ ...file, change: 'updated', previousFile: null });
    }
  }
}

function added(file: PublishedFile): FileChange {
  return { ...file, change: 'added', previousFile: null };
}
