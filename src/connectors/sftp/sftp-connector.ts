// The connector for a folder on an SFTP server. `SftpJail` confines it to the folder.
import { Readable } from 'node:stream';
import type { Stats } from 'ssh2';
import type {
  Connector,
  Entry,
  ListOptions,
  OpenFile,
  Part,
  StagedFile,
  WriteOptions,
} from '../connector.ts';
import {
  ConnectorError,
  defaultMaxReadBytes,
  type FileAction,
  tooLargeError,
} from '../connector-error.ts';
import {
  createLeftoverSchedule,
  diskNowMs,
  isLeftoverFile,
  isTempName,
  releaseTempName,
  reserveTempName,
} from '../disk/temp-names.ts';
import { pathPartsOf } from '../safe-path.ts';
import { stageLocally } from '../staging.ts';
import { convertSftpError, findStatus, type SftpTerms, status } from './sftp-errors.ts';
import type { SftpFiles } from './sftp-files.ts';
import { SftpJail } from './sftp-jail.ts';
import { walkServer } from './sftp-walk.ts';

/** Minimum time between searches for leftover files, because a listing takes one request per few hundred files. */
const leftoverCheckIntervalMs = 10 * 60_000;

interface Target {
  folder: string;
  file: string;
}

export class SftpConnector implements Connector {
  readonly #files: SftpFiles;
  readonly #terms: SftpTerms;
  readonly #jail: SftpJail;
  readonly #isCheckDue = createLeftoverSchedule(leftoverCheckIntervalMs);

  constructor(root: string, files: SftpFiles, terms: SftpTerms) {
    this.#files = files;
    this.#terms = terms;
    this.#jail = new SftpJail(files, root);
  }

  describe(): string {
    return this.#terms.location;
  }

  async checkWritable(): Promise<void> {
    try {
      await this.#files.checkReplace();
    } catch (error) {
      throw this.#toConnectorError(error, 'write', '');
    }
  }

  async *list(prefix = '', options: ListOptions = {}): AsyncGenerator<Entry> {
    const start = prefix === '' ? '' : pathPartsOf(prefix).join('/');
    options.signal?.throwIfAborted();
    try {
      await this.#jail.resolveFolder([], false);
      for await (const { path, info } of walkServer(this.#files, this.#jail, start, options)) {
        yield entryOf(path, info);
      }
    } catch (error) {
      options.signal?.throwIfAborted();
      throw this.#toConnectorError(error, 'read', prefix);
    }
  }

  async *names(prefix = '', options: ListOptions = {}): AsyncGenerator<string> {
    for await (const { path } of this.list(prefix, options)) yield path;
  }

  async stat(path: string): Promise<Entry | null> {
    const parts = pathPartsOf(path);
    try {
      const file = await this.#realFile(parts);
      const info = await this.#files.stat(file);
      await this.#jail.assertStillInside(file);
      return info.isFile() ? entryOf(path, info) : null;
    } catch (error) {
      if (findStatus(error) === status.noSuchFile) return null;
      throw this.#toConnectorError(error, 'read', path);
    }
  }

  async read(path: string, maxBytes = defaultMaxReadBytes): Promise<Buffer> {
    return this.#reading(path, async (handle, { size }) => {
      if (size <= maxBytes) return this.#files.readAt(handle, 0, size);
      throw tooLargeError(path, size, maxBytes);
    });
  }

  async readPart(path: string, offset: number, length: number): Promise<Part> {
    return this.#reading(path, async (handle, info) => {
      const expectedBytes = Math.max(0, Math.min(length, info.size - offset));
      return {
        entry: entryOf(path, info),
        bytes: await this.#files.readAt(handle, offset, expectedBytes),
      };
    });
  }

  async open(path: string): Promise<OpenFile> {
    const files = this.#files;
    const { file, handle, info } = await this.#attempt('read', path, (parts) =>
      this.#openFile(path, parts),
    );
    return {
      entry: entryOf(path, info),
      content: async () =>
        Readable.from(this.#chunks(path, handle, info.size), { objectMode: false }),
      isUnchanged: async () => {
        const currentInfo = await files.fstat(handle).catch((error: unknown) => {
          throw this.#toConnectorError(error, 'read', path);
        });
        // A file that was deleted after its last byte was read counts as unchanged, because all of it was read.
        const byName = await files.stat(file).catch(() => currentInfo);
        return isSameFileVersion(info, currentInfo) && isSameFileVersion(currentInfo, byName);
      },
      close: () => files.close(handle).catch(() => undefined),
    };
  }

  async write(path: string, bytes: Uint8Array, options: WriteOptions = {}) {
    return this.#attempt('write', path, async (parts) => {
      const target = await this.#target(parts);
      const { ifAbsent = false, durable = false } = options;
      const fill = (handle: Buffer) => this.#files.writeAt(handle, bytes, 0);
      return this.#put(target, fill, { ifAbsent, durable });
    });
  }

  async stage(path: string): Promise<StagedFile> {
    pathPartsOf(path);
    return stageLocally(path, (file, options) =>
      this.#attempt('write', path, async (parts) => {
        const target = await this.#target(parts);
        const fill = (handle: Buffer) => this.#files.writeAll(handle, file, options);
        await this.#put(target, fill, { ifAbsent: false, durable: true });
        return entryOf(path, await this.#files.stat(target.file));
      }),
    );
  }

  async remove(path: string): Promise<void> {
    const parts = pathPartsOf(path);
    try {
      const folder = await this.#jail.resolveFolder(parts.slice(0, -1), false);
      await this.#removeAside(`${folder}/${parts.at(-1) ?? ''}`, folder);
    } catch (error) {
      if (findStatus(error) !== status.noSuchFile)
        throw this.#toConnectorError(error, 'write', path);
    }
  }

  /**
   * Renames the file to a unique name before deleting it. If a link replaces the folder in the meantime, the link's
   * target contains no file with this name. A file that was renamed outside the root gets its old name back.
   */
  async #removeAside(file: string, folder: string): Promise<void> {
    const files = this.#files;
    const name = reserveTempName();
    const aside = `${folder}/${name}`;
    try {
      await files.rename(file, aside);
      await this.#jail.assertStillInside(aside).catch(async (error: unknown) => {
        await files.rename(aside, file).catch(() => undefined);
        throw error;
      });
      await files.unlink(aside);
    } finally {
      releaseTempName(name);
    }
  }

  /** Writes a temporary file next to the target and renames it, so that no reader sees an incomplete file. */
  async #put(
    { folder, file }: Target,
    fill: (handle: Buffer) => Promise<void>,
    { ifAbsent, durable }: Required<WriteOptions>,
  ): Promise<'written' | 'exists'> {
    const files = this.#files;
    const name = reserveTempName();
    const temp = `${folder}/${name}`;
    try {
      await this.#fill(temp, fill, durable);
      if (!ifAbsent) {
        await files.replace(temp, file);
        return 'written';
      }
      const renameError: unknown = await files.rename(temp, file).catch((error: unknown) => error);
      if (renameError === undefined) return 'written';
      // The server reports only that the operation failed, so this checks whether the name is taken.
      await files.lstat(file).catch(() => {
        throw renameError;
      });
      await files.unlink(temp);
      return 'exists';
    } catch (error) {
      await files.unlink(temp).catch(() => undefined);
      throw error;
    } finally {
      releaseTempName(name);
    }
  }

  async #fill(
    temp: string,
    fill: (handle: Buffer) => Promise<void>,
    durable: boolean,
  ): Promise<void> {
    const files = this.#files;
    const handle = await files.open(temp, 'wx');
    try {
      // If the file is not found by its name, it was created elsewhere, through a link that has since been removed.
      await Promise.all([this.#jail.assertStillInside(temp), files.lstat(temp)]);
      await fill(handle);
      if (durable) await files.sync(handle);
    } catch (error) {
      // The first error is thrown, because a reopened connection does not know the handle.
      await files.close(handle).catch(() => undefined);
      throw error;
    }
    await files.close(handle);
  }

  async #removeLeftovers(folder: string): Promise<void> {
    const check = () => this.#jail.assertStillInside(folder);
    const temps: { filename: string; mtimeMs: number }[] = [];
    // The folder's modification time is the latest known time, because each new file changes it.
    let latestAtMs = (await this.#files.stat(folder)).mtime * 1_000;
    for await (const page of this.#files.readFolder(folder, check)) {
      for (const { filename, attrs } of page) {
        const mtimeMs = attrs.mtime * 1_000;
        latestAtMs = Math.max(latestAtMs, mtimeMs);
        if (isTempName(filename)) temps.push({ filename, mtimeMs });
      }
    }
    for (const { filename, mtimeMs } of temps) {
      if (!isLeftoverFile(filename, mtimeMs, diskNowMs(latestAtMs))) continue;
      await this.#files.unlink(`${folder}/${filename}`).catch(() => undefined);
    }
  }

  async *#chunks(path: string, handle: Buffer, bytes: number): AsyncGenerator<Buffer> {
    try {
      yield* this.#files.readAll(handle, bytes);
    } catch (error) {
      throw this.#toConnectorError(error, 'read', path);
    }
  }

  async #realFile(parts: readonly string[]): Promise<string> {
    const folder = await this.#jail.resolveFolder(parts.slice(0, -1), false);
    return this.#jail.resolveFile(folder, parts.at(-1) ?? '');
  }

  async #target(parts: readonly string[]): Promise<Target> {
    const folder = await this.#jail.resolveFolder(parts.slice(0, -1), true);
    if (this.#isCheckDue(folder)) {
      // Errors are ignored, because a user with only write access cannot list the folder.
      await this.#removeLeftovers(folder).catch(() => undefined);
    }
    return { folder, file: `${folder}/${parts.at(-1) ?? ''}` };
  }

  /** Opens a file, and opens it again if it was replaced in the meantime, because writers replace files in one step. */
  async #openFile(
    path: string,
    parts: readonly string[],
    opensLeft = 5,
  ): Promise<{ file: string; handle: Buffer; info: Stats }> {
    const file = await this.#realFile(parts);
    const handle = await this.#files.open(file, 'r');
    // Requests are sent in this order, so that the path is known to be inside the root before it is read by name.
    const [info, , byName] = await Promise.all([
      this.#files.fstat(handle),
      this.#jail.assertStillInside(file),
      this.#files.stat(file),
    ]).catch(async (error: unknown) => {
      await this.#files.close(handle).catch(() => undefined);
      throw error;
    });
    if (info.isFile() && isSameFileVersion(info, byName)) return { file, handle, info };
    await this.#files.close(handle);
    if (info.isFile() && opensLeft > 1) return this.#openFile(path, parts, opensLeft - 1);
    const label = `"${path}" in ${this.describe()}`;
    throw info.isFile()
      ? new ConnectorError(
          'UNREADABLE',
          path,
          `${label} was replaced while Renderline opened it`,
          'retry',
        )
      : new ConnectorError('UNREADABLE', path, `${label} is not a file`, 'check the path');
  }

  async #reading<T>(path: string, task: (handle: Buffer, info: Stats) => Promise<T>): Promise<T> {
    return this.#attempt('read', path, async (parts) => {
      const { handle, info } = await this.#openFile(path, parts);
      try {
        return await task(handle, info);
      } finally {
        await this.#files.close(handle).catch(() => undefined);
      }
    });
  }

  async #attempt<T>(
    action: FileAction,
    path: string,
    task: (parts: readonly string[]) => Promise<T>,
  ): Promise<T> {
    const parts = pathPartsOf(path);
    try {
      return await task(parts);
    } catch (error) {
      // A folder that was deleted in the meantime must be resolved and created again.
      const isVanished = action === 'write' && findStatus(error) === status.noSuchFile;
      if (!isVanished || !this.#jail.clearCache())
        throw this.#toConnectorError(error, action, path);
    }
    return task(parts).catch((error: unknown) => {
      throw this.#toConnectorError(error, action, path);
    });
  }

  #toConnectorError(error: unknown, action: FileAction, path: string): unknown {
    return convertSftpError(error, action, path, this.#terms);
  }
}

/** Returns the entry of a file. The protocol's times are in whole seconds. */
function entryOf(path: string, info: { size: number; mtime: number }): Entry {
  return { path, bytes: info.size, mtimeMs: info.mtime * 1_000 };
}

function isSameFileVersion(a: Stats, b: Stats): boolean {
  return a.size === b.size && a.mtime === b.mtime;
}
