// Compares two lists of files in the same order of assets. Only the unmatched files of an asset are in memory.
import { compareKeys } from '../../../store/runs/publications/delivered-assets.ts';
import type {
  PublishedAsset,
  PublishedFile,
} from '../../../store/runs/publications/publications.ts';

export type FileChange = PublishedFile & {
  /** `updated` means the same content and path, but other values in the columns. */
  change: 'added' | 'replaced' | 'renamed' | 'updated' | 'removed';
  /** Path until now. Null unless the file was renamed. */
  previousFile: string | null;
};

export class FileComparison {
  readonly #earlierAssets: AsyncIterator<PublishedAsset>;
  readonly #emit: (change: FileChange) => Promise<void>;
  /** Files by path: new files without an earlier file in their asset so far, and earlier files without a new one. */
  readonly #addedByPath = new Map<string, PublishedFile>();
  readonly #removedByPath = new Map<string, PublishedFile>();
  #next: PublishedAsset | null | undefined;

  /**
   * @param earlierAssets the earlier list
   * @param emit called for each change, in no particular order
   */
  constructor(
    earlierAssets: AsyncIterator<PublishedAsset>,
    emit: (change: FileChange) => Promise<void>,
  ) {
    this.#earlierAssets = earlierAssets;
    this.#emit = emit;
  }

  /** Compares the files of an asset. Assets must be added in the order of `compareKeys`. */
  async add({ name, files }: PublishedAsset): Promise<void> {
    const earlierFiles = new Map((await this.#filesOf(name)).map((file) => [file.path, file]));
    for (const file of files) {
      const earlierFile = earlierFiles.get(file.path);
      earlierFiles.delete(file.path);
      if (earlierFile) await this.#compare(earlierFile, file);
      else if (this.#next === null && this.#removedByPath.size === 0)
        await this.#emit(toAddedChange(file));
      else this.#addedByPath.set(file.path, file);
    }
    for (const file of earlierFiles.values()) this.#removedByPath.set(file.path, file);
  }

  /** Reports the files that were not compared within one asset. */
  async finish(): Promise<void> {
    for (let next = await this.#peek(); next !== null; next = await this.#peek()) {
      this.#skip(next);
    }
    for (const [path, file] of this.#addedByPath) {
      const earlierFile = this.#removedByPath.get(path);
      if (earlierFile === undefined) continue;
      this.#addedByPath.delete(path);
      this.#removedByPath.delete(path);
      await this.#compare(earlierFile, file);
    }
    const byContent = new Map([...this.#removedByPath.values()].map((file) => [file.shows, file]));
    for (const file of this.#addedByPath.values()) {
      const earlierFile = byContent.get(file.shows);
      if (earlierFile === undefined || !this.#removedByPath.delete(earlierFile.path))
        await this.#emit(toAddedChange(file));
      else await this.#emit({ ...file, change: 'renamed', previousFile: earlierFile.path });
    }
    for (const file of this.#removedByPath.values()) {
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
    for (const file of files) this.#removedByPath.set(file.path, file);
    this.#next = undefined;
  }

  async #peek(): Promise<PublishedAsset | null> {
    if (this.#next === undefined) {
      const { value, done } = await this.#earlierAssets.next();
      this.#next = done === true ? null : value;
    }
    return this.#next;
  }

  async #compare(earlierFile: PublishedFile, file: PublishedFile): Promise<void> {
    if (earlierFile.sha256 !== file.sha256) {
      await this.#emit({ ...file, change: 'replaced', previousFile: null });
    } else if (JSON.stringify(earlierFile.cells) !== JSON.stringify(file.cells)) {
      await this.#emit({ ...file, change: 'updated', previousFile: null });
    }
  }
}

function toAddedChange(file: PublishedFile): FileChange {
  return { ...file, change: 'added', previousFile: null };
}
