// A temporary file on this machine. It is written from its beginning, checked, and then moved to its destination.
import type { Stats } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NewFile } from '../../disk/disk-file.ts';
import { openWithRetry } from './disk-retry.ts';
import { releaseTempName, reserveTempName } from './temp-names.ts';

const chunkBytes = 256 * 1024;

/** Checks a new file. Closes the file before throwing. */
export type OpenedFileCheck = (file: NewFile, path: string) => Promise<void>;

/** Creates a new file. Deletes the file again if the check throws. */
export async function createChecked(path: string, check: OpenedFileCheck): Promise<NewFile> {
  const file = await openWithRetry(() => NewFile.create(path));
  try {
    await check(file, path);
    return file;
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}

export class TempFile {
  readonly path: string;
  readonly #name: string;
  readonly #file: NewFile;
  readonly #convertError: (error: unknown) => unknown;

  private constructor(
    folder: string,
    name: string,
    file: NewFile,
    convertError: (error: unknown) => unknown,
  ) {
    this.path = join(folder, name);
    this.#name = name;
    this.#file = file;
    this.#convertError = convertError;
  }

  /**
   * @param place `folder` is where to create the file. `held` is another path to the folder, which stays valid if the
   * folder is renamed or replaced
   * @param convertError converts errors of the file
   * @param check checks the new file before anything is written
   */
  static async create(
    { folder, held = folder }: { folder: string; held?: string },
    convertError: (error: unknown) => unknown,
    check: OpenedFileCheck = async () => undefined,
  ): Promise<TempFile> {
    const name = reserveTempName();
    try {
      const file = await createChecked(join(held, name), check);
      return new TempFile(folder, name, file, convertError);
    } catch (error) {
      releaseTempName(name);
      throw error;
    }
  }

  write(chunk: Uint8Array): Promise<void> {
    return this.#doing(() => this.#file.write(chunk));
  }

  bytes(): Promise<number> {
    return this.#doing(async () => this.#file.stat().size);
  }

  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let offset = 0; ; ) {
      const piece = await this.#doing(() => this.#file.readAt(offset, chunkBytes));
      if (piece.length === 0) return;
      offset += piece.length;
      yield piece;
    }
  }

  /** Flushes the file, then calls `move`, which names it. Nothing can be appended then. @returns its attributes */
  async finish(move: (path: string) => Promise<void>): Promise<Stats> {
    await this.#doing(() => this.#file.sync());
    await move(this.path);
    const info = this.#file.stat();
    this.#file.close();
    releaseTempName(this.#name);
    return info;
  }

  /** Deletes the file. Does nothing after `finish`. */
  async remove(): Promise<void> {
    try {
      await this.#doing(() => this.#file.end());
    } finally {
      await this.#doing(() => rm(this.path, { force: true })).finally(() =>
        releaseTempName(this.#name),
      );
    }
  }

  async #doing<T>(task: () => Promise<T>): Promise<T> {
    try {
      return await task();
    } catch (error) {
      throw this.#convertError(error);
    }
  }
}
