// A temporary file of this machine: filled from its beginning, looked at, and then brought to its place.
import type { Stats } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NewFile } from '../disk/disk-file.ts';
import { openPatiently } from './patience.ts';
import { endTemp, tempName } from './temp-files.ts';

const readAtOnce = 256 * 1024;

/** Closes what it refuses. */
export type CheckOpened = (made: NewFile, path: string) => Promise<void>;

/** Makes a file that is not there yet; one that the check refuses is removed again. */
export async function createChecked(path: string, check: CheckOpened): Promise<NewFile> {
  const made = await openPatiently(() => NewFile.create(path));
  try {
    await check(made, path);
    return made;
  } catch (error) {
    await rm(path, { force: true }).catch(() => undefined);
    throw error;
  }
}

export class TempFile {
  readonly path: string;
  readonly #name: string;
  readonly #file: NewFile;
  readonly #named: (error: unknown) => unknown;

  private constructor(
    folder: string,
    name: string,
    file: NewFile,
    named: (error: unknown) => unknown,
  ) {
    this.path = join(folder, name);
    this.#name = name;
    this.#file = file;
    this.#named = named;
  }

  /**
   * `named` gives errors of the file, once it is there, the words of its place.
   * @param folder where it is made; `held`: another path of that folder, which leads there whatever becomes of its name
   * @param check looks at it before anything is written; closes it where it refuses
   */
  static async create(
    { folder, held = folder }: { folder: string; held?: string },
    named: (error: unknown) => unknown,
    check: CheckOpened = async () => undefined,
  ): Promise<TempFile> {
    const name = tempName();
    try {
      const file = await createChecked(join(held, name), check);
      return new TempFile(folder, name, file, named);
    } catch (error) {
      endTemp(name);
      throw error;
    }
  }

  /** Adds to its end. */
  write(chunk: Uint8Array): Promise<void> {
    return this.#doing(() => this.#file.write(chunk));
  }

  bytes(): Promise<number> {
    return this.#doing(async () => this.#file.look().size);
  }

  /** All bytes, from the beginning; what breaks off says so in the words of this place. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let offset = 0; ; ) {
      const piece = await this.#doing(() => this.#file.at(offset, readAtOnce));
      if (piece.length === 0) return;
      offset += piece.length;
      yield piece;
    }
  }

  /**
   * `move` gives it its name once its bytes are on stable storage; none can be added any more.
   * @returns what it is under that name
   */
  async finish(move: (path: string) => Promise<void>): Promise<Stats> {
    await this.#doing(() => this.#file.sync());
    await move(this.path);
    const info = this.#file.look();
    this.#file.close();
    endTemp(this.#name);
    return info;
  }

  /** Does nothing once it is finished. */
  async remove(): Promise<void> {
    try {
      await this.#doing(() => this.#file.end());
    } finally {
      await this.#doing(() => rm(this.path, { force: true })).finally(() => endTemp(this.#name));
    }
  }

  async #doing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#named(error);
    }
  }
}
