// A temporary file of this machine: filled from its beginning, looked at, and then brought to its place.
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openPatiently } from './patience.ts';
import { endTemp, tempName } from './temp-files.ts';

const readAtOnce = 256 * 1024;

/** Closes what it refuses. */
export type CheckOpened = (handle: FileHandle, file: string) => Promise<void>;

/** Makes a file that is not there yet; one that the check refuses is removed again. */
export async function openChecked(
  file: string,
  flags: 'wx' | 'wx+',
  check: CheckOpened,
): Promise<FileHandle> {
  const handle = await openPatiently(() => open(file, flags));
  try {
    await check(handle, file);
    return handle;
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

export class TempFile {
  readonly path: string;
  readonly #name: string;
  readonly #handle: FileHandle;
  readonly #named: (error: unknown) => unknown;
  #isOpen = true;

  private constructor(
    folder: string,
    name: string,
    handle: FileHandle,
    named: (error: unknown) => unknown,
  ) {
    this.path = join(folder, name);
    this.#name = name;
    this.#handle = handle;
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
      const handle = await openChecked(join(held, name), 'wx+', check);
      return new TempFile(folder, name, handle, named);
    } catch (error) {
      endTemp(name);
      throw error;
    }
  }

  /** Adds to its end. */
  write(chunk: Uint8Array): Promise<void> {
    return this.#doing(() => this.#handle.appendFile(chunk));
  }

  bytes(): Promise<number> {
    return this.#doing(async () => (await this.#handle.stat()).size);
  }

  /** All bytes, from the beginning; what breaks off says so in the words of this place. */
  async *pieces(): AsyncGenerator<Uint8Array> {
    for (let offset = 0; ; ) {
      const { buffer, bytesRead } = await this.#doing(() =>
        this.#handle.read(Buffer.allocUnsafe(readAtOnce), 0, readAtOnce, offset),
      );
      if (bytesRead === 0) return;
      offset += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** `move` gives it its name once its bytes are on stable storage; none can be added any more. */
  async finish(move: (path: string) => Promise<void>): Promise<void> {
    if (this.#isOpen) await this.#doing(() => this.#handle.sync());
    await this.#close();
    await move(this.path);
    endTemp(this.#name);
  }

  /** Does nothing once it is finished. */
  async remove(): Promise<void> {
    try {
      await this.#close();
    } finally {
      await this.#doing(() => rm(this.path, { force: true })).finally(() => endTemp(this.#name));
    }
  }

  async #close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#doing(() => this.#handle.close());
  }

  async #doing<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw this.#named(error);
    }
  }
}
