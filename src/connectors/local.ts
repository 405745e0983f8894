// A local or mounted folder. Nothing outside the folder is read or written, whatever the paths and links.
import type { Stats } from 'node:fs';
import { lstat, realpath, rename, unlink } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join } from 'node:path';
import { z } from 'zod';
import { DiskFile, noFollow } from '../disk/disk-file.ts';
import type { ConnectorSpec } from '../plan/types.ts';
import { folderPath, hostName } from '../settings/file-fields.ts';
import type {
  Connector,
  Entry,
  ListOptions,
  OpenFile,
  Part,
  StagedFile,
  WriteOptions,
} from './connector.ts';
import {
  ConnectorError,
  defaultMaxReadBytes,
  errnoOf,
  type FileAction,
  toConnectorError,
  tooLargeError,
} from './connector-error.ts';
import { defineConnector } from './connector-type.ts';
import { writeAtomically } from './disk/atomic-file.ts';
import { replaceWithRetry, withRetry } from './disk/disk-retry.ts';
import { flushFolder } from './disk/folder-flush.ts';
import { entryOf, LocalOpenFile } from './disk/local-file.ts';
import { isInsideFolder, LocalJail } from './disk/local-jail.ts';
import {
  type FoundName,
  type FoundPage,
  isVanishedError,
  type WithFolder,
  walk,
} from './disk/local-walk.ts';
import { type OpenedFileCheck, TempFile } from './disk/temp-file.ts';
import { createLeftoverSchedule, removeLeftovers } from './disk/temp-names.ts';
import { pathPartsOf } from './safe-path.ts';

/** Minimum time between searches of a folder for leftovers, as listing it may cost more than writing a file. */
const leftoverCheckIntervalMs = 10_000;

export const local = defineConnector({
  type: 'local',
  summary: 'A folder on this machine.',
  docs: 'A folder on the machine of the worker, or one mounted there. Nothing outside the folder is read or written, not even through paths or links. The folder is created on the first write. Workers on several machines may each have a folder of this path: a run checks this before it starts, unless `host` names the machine ([several machines](deployment.md#several-machines)).',
  example: 'models: { type: local, path: "${{ params.folder }}" }',
  config: z.strictObject({
    path: folderPath
      .describe('Path of the folder; a relative path starts at the folder of the pipeline file.')
      .meta({ reference: 'folder' }),
    host: hostName
      .describe(
        'Host that has this folder: the name given to its workers with `renderline worker --host`. If set, the run does not search the workers for the folder.',
      )
      .optional(),
  }),
  open: ({ type, path }) => new LocalConnector({ type, path }),
});

export class LocalConnector implements Connector {
  readonly #root: string;
  readonly #jail: LocalJail;
  readonly #isCheckDue = createLeftoverSchedule(leftoverCheckIntervalMs);

  /** @param spec `path` is the absolute path of the folder */
  constructor(spec: ConnectorSpec) {
    const path = spec['path'];
    if (typeof path !== 'string' || !isAbsolute(path) || path.includes('\0')) {
      throw new ConnectorError(
        'HOSTILE_PATH',
        JSON.stringify(path) ?? '',
        `a local connector requires an absolute folder path, not ${JSON.stringify(path)}`,
        'set `path` to an absolute path, or to a path relative to the pipeline file',
      );
    }
    this.#root = path;
    this.#jail = new LocalJail(path);
  }

  describe(): string {
    return `local folder ${this.#root}`;
  }

  async *list(prefix = '', options: ListOptions = {}): AsyncGenerator<Entry> {
    for await (const page of this.#pages(prefix, options)) {
      for (const entry of await this.#entriesOf(page, options.onSkipped)) if (entry) yield entry;
    }
  }

  async *names(prefix = '', options: ListOptions = {}): AsyncGenerator<string> {
    for await (const { page } of this.#pages(prefix, options)) {
      for (const { path } of page.files) yield path;
    }
  }

  async stat(path: string): Promise<Entry | null> {
    try {
      const info = await this.#lstatInside((await this.#locate(path)).file, path);
      if (!info.isSymbolicLink()) return info.isFile() ? entryOf(path, info) : null;
      const end = await this.#lstatInside(await this.#realFile(path), path);
      return end.isFile() ? entryOf(path, end) : null;
    } catch (error) {
      const errno = errnoOf(error);
      if (errno === 'ENOENT' || errno === 'ENOTDIR') return null;
      throw this.#toConnectorError(error, 'read', path);
    }
  }

  async read(path: string, maxBytes = defaultMaxReadBytes): Promise<Buffer> {
    return this.#reading(path, (handle, { size }) => {
      if (size <= maxBytes) return handle.readAt(0, size);
      throw tooLargeError(path, size, maxBytes);
    });
  }

  async open(path: string): Promise<OpenFile> {
    const { file, handle, info } = await this.#attempt('read', path, () => this.#openFile(path));
    return new LocalOpenFile({
      path,
      file,
      handle,
      info,
      convertError: (error) => this.#toConnectorError(error, 'read', path),
    });
  }

  async readPart(path: string, offset: number, length: number): Promise<Part> {
    return this.#reading(path, async (handle, info) => {
      const expectedBytes = Math.max(0, Math.min(length, info.size - offset));
      return { entry: entryOf(path, info), bytes: await handle.readAt(offset, expectedBytes) };
    });
  }

  async #reading<T>(path: string, task: (handle: DiskFile, info: Stats) => Promise<T>): Promise<T> {
    return this.#attempt('read', path, async () => {
      const { handle, info } = await this.#openFile(path);
      try {
        return await task(handle, info);
      } finally {
        handle.close();
      }
    });
  }

  async write(path: string, bytes: Uint8Array, options: WriteOptions = {}) {
    return this.#attempt('write', path, async () => {
      const { folder, file } = await this.#target(path);
      return this.#jail.withFolder(folder, path, (handlePath) =>
        writeAtomically(file, bytes, options, {
          handlePath,
          ...this.#checkOptions(folder, handlePath, path),
        }),
      );
    });
  }

  async stage(path: string): Promise<StagedFile> {
    return this.#attempt('write', path, async () => {
      const { folder, file } = await this.#target(path);
      const temp = await this.#jail.withFolder(folder, path, (handlePath) =>
        TempFile.create(
          { folder, held: handlePath },
          (error) => this.#toConnectorError(error, 'write', path),
          this.#checkOptions(folder, handlePath, path).check,
        ),
      );
      let isDone = false;
      return {
        file: temp.path,
        write: (chunk) => temp.write(chunk),
        commit: () =>
          this.#attempt('write', path, async () => {
            return this.#jail.withFolder(folder, path, async (handlePath) => {
              const pathOf = (name: string) => join(handlePath, basename(name));
              const info = await temp.finish((tempPath) =>
                replaceWithRetry(() => rename(pathOf(tempPath), pathOf(file))),
              );
              isDone = true;
              await flushFolder(folder);
              return entryOf(path, info);
            });
          }),
        discard: async () => (isDone ? undefined : temp.remove()),
      };
    });
  }

  async remove(path: string): Promise<void> {
    try {
      const { folder, file } = await this.#locate(path);
      const unlinkIn = (handlePath: string) => unlink(join(handlePath, basename(file)));
      await this.#jail.withFolder(folder, path, unlinkIn);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') throw this.#toConnectorError(error, 'write', path);
    }
  }

  async *#pages(prefix: string, options: ListOptions) {
    if (prefix !== '') pathPartsOf(prefix);
    try {
      const root = await this.#jail.realRoot();
      if (prefix !== '' && !(await this.#hasFolder(prefix))) return;
      const withFolder: WithFolder = (folder, task) =>
        this.#jail.withFolder(join(root, folder), folder, task);
      for await (const page of walk(withFolder, prefix, options)) yield { root, withFolder, page };
    } catch (error) {
      throw this.#toConnectorError(error, 'read', prefix === '' ? '.' : prefix);
    }
  }

  async #hasFolder(prefix: string): Promise<boolean> {
    try {
      await this.#jail.resolveFolder(pathPartsOf(prefix), false);
      return true;
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  /** Returns entries for the files of one folder, or null for files that are skipped. */
  async #entriesOf(
    { root, withFolder, page }: { root: string; withFolder: WithFolder; page: FoundPage },
    onSkipped: ListOptions['onSkipped'],
  ): Promise<(Entry | null)[]> {
    const readEntries = (handlePath: string) =>
      Promise.all(page.files.map((file) => this.#entryFor(root, handlePath, file, onSkipped)));
    return withFolder(page.folder, readEntries).catch((error: unknown) => {
      if (isVanishedError(error)) return [];
      throw error;
    });
  }

  async #entryFor(
    root: string,
    handlePath: string,
    { path, isLink }: FoundName,
    onSkipped: ListOptions['onSkipped'],
  ): Promise<Entry | null> {
    try {
      if (!isLink) return entryOf(path, await lstat(join(handlePath, basename(path))));
      const real = await realpath(join(handlePath, basename(path)));
      if (!isInsideFolder(root, real)) {
        onSkipped?.(path, 'link-outside');
        return null;
      }
      const info = await this.#lstatInside(real, path);
      return info.isFile() ? entryOf(path, info) : null;
    } catch (error) {
      if (isVanishedError(error)) return null;
      if (errnoOf(error) !== 'EACCES' || !onSkipped) throw error;
      onSkipped(path, 'unreadable');
      return null;
    }
  }

  /** Calls `lstat` through the handle of the folder, which is checked to be inside the root. */
  #lstatInside(real: string, path: string): Promise<Stats> {
    return this.#jail.withFolder(dirname(real), path, (handlePath) =>
      lstat(join(handlePath, basename(real))),
    );
  }

  /** Returns the path of a file with links resolved. @throws ConnectorError HOSTILE_PATH if it is outside the root */
  async #realFile(path: string): Promise<string> {
    const { file } = await this.#locate(path);
    if (!(await lstat(file)).isSymbolicLink()) return file;
    const real = await realpath(file);
    this.#jail.assertInside(await this.#jail.realRoot(), real, path);
    return real;
  }

  async #openFile(path: string) {
    const { file } = await this.#locate(path);
    const handle = await DiskFile.open(file, noFollow).catch(async (error: unknown) => {
      if (errnoOf(error) !== 'ELOOP') throw error;
      return DiskFile.open(await this.#realFile(path), noFollow);
    });
    await this.#jail.assertStillInside(handle, file, path);
    const info = handle.stat();
    if (info.isFile()) return { file, handle, info };
    handle.close();
    const problem = `"${path}" in ${this.describe()} is not a file`;
    throw new ConnectorError('UNREADABLE', path, problem, 'check the path');
  }

  async #target(path: string): Promise<{ folder: string; file: string }> {
    const target = await this.#locate(path, true);
    if (this.#isCheckDue(target.folder)) {
      await this.#jail.withFolder(target.folder, path, removeLeftovers);
    }
    return target;
  }

  /** Returns the real path of the folder and of the file in it. With `create`, the folder is created. */
  async #locate(path: string, create = false): Promise<{ folder: string; file: string }> {
    const parts = pathPartsOf(path);
    const folder = await this.#jail.resolveFolder(parts.slice(0, -1), create);
    return { folder, file: join(folder, parts.at(-1) ?? '') };
  }

  /** On a system without folder handles, new files are checked again after they are created. */
  #checkOptions(folder: string, handlePath: string, path: string): { check?: OpenedFileCheck } {
    if (handlePath !== folder) return {};
    return {
      check: (handle, openedPath) => this.#jail.assertStillInside(handle, openedPath, path),
    };
  }

  async #attempt<T>(action: FileAction, path: string, task: () => Promise<T>): Promise<T> {
    try {
      return await (action === 'read' ? withRetry(task) : task());
    } catch (error) {
      // A folder that was deleted in the meantime must be resolved and created again.
      const hasVanished = action === 'write' && errnoOf(error) === 'ENOENT';
      if (!hasVanished || !this.#jail.clearCache())
        throw this.#toConnectorError(error, action, path);
    }
    return task().catch((error: unknown) => {
      throw this.#toConnectorError(error, action, path);
    });
  }

  #toConnectorError(error: unknown, action: FileAction, path: string): unknown {
    return toConnectorError(error, action, path, this.describe());
  }
}
