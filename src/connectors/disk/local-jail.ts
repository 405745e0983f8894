// Confines paths to one folder. Each folder along a path is resolved, so that neither paths nor links lead out of it.

import { constants, readlinkSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { createFolder } from '../../disk/create-folder.ts';
import { DiskFile } from '../../disk/disk-file.ts';
import { storageFailures } from '../../failures/storage.ts';
import { ConnectorError, errnoOf } from '../connector-error.ts';
import { openWithRetry } from './disk-retry.ts';
import { flushFolder } from './folder-flush.ts';

/** A folder is checked again after this time, because a link may have replaced it. */
const folderTrustMs = 1_000;
const maxTrustedFolders = 4_096;
/** Operations that start within this time after a folder was opened share its handle. */
const shareWindowMs = 100;
/** Linux's O_PATH, which Node does not define. It opens a folder even without permission to read it. */
const pathOnly = process.platform === 'linux' ? 0o10000000 : constants.O_RDONLY;
/** Folder of run records, created with access for this user only. Teams with several accounts can widen the access. */
const privateFolder = '.renderline';

/** A folder handle with several users, closed after the last one. */
interface SharedFolder {
  readonly opened: Promise<OpenFolder>;
  readonly openedAtMs: number;
  users: number;
}

interface OpenFolder {
  file: DiskFile;
  /** Real path of the handle. Null if the system does not provide it. */
  realPath: string | null;
}

export class LocalJail {
  readonly #root: string;
  readonly #trusted = new Map<string, { real: string; atMs: number }>();
  /** Folders that are being resolved, so that a batch of small files resolves its folder only once. */
  readonly #resolving = new Map<string, Promise<string>>();
  readonly #sharedFolders = new Map<string, SharedFolder>();

  /** `root` is absolute. It need not exist yet. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Returns the real path of a folder inside the root. With `create`, each level is created inside a checked one. */
  async resolveFolder(parts: readonly string[], create: boolean): Promise<string> {
    if (parts.length === 0) return this.realRoot(create);
    const name = parts.join('/');
    const cachedFolder = this.#trusted.get(name);
    if (cachedFolder && performance.now() - cachedFolder.atMs < folderTrustMs)
      return cachedFolder.real;
    const lookupKey = `${create} ${name}`;
    const resolution = this.#resolving.get(lookupKey) ?? this.#resolveFolder(parts, create);
    this.#resolving.set(lookupKey, resolution);
    try {
      return await resolution;
    } finally {
      if (this.#resolving.get(lookupKey) === resolution) this.#resolving.delete(lookupKey);
    }
  }

  async #resolveFolder(parts: readonly string[], create: boolean): Promise<string> {
    const name = parts.join('/');
    const root = await this.realRoot(create);
    const real = await realpath(join(root, ...parts)).catch(async (error: unknown) => {
      if (!create || errnoOf(error) !== 'ENOENT') throw error;
      const parent = await this.resolveFolder(parts.slice(0, -1), true);
      const folderName = parts.at(-1) ?? '';
      const full = join(parent, folderName);
      const mode = folderName === privateFolder ? { mode: 0o700 } : {};
      const make = (handlePath: string) => mkdir(join(handlePath, folderName), mode);
      await this.withFolder(parent, name, make).catch((failure: unknown) => {
        if (errnoOf(failure) !== 'EEXIST') throw failure;
      });
      // The parent is flushed too, because a file is durable only once its folder is.
      await flushFolder(parent);
      return realpath(full);
    });
    this.assertInside(root, real, name);
    if (this.#trusted.size >= maxTrustedFolders) this.#trusted.clear();
    this.#trusted.set(name, { real, atMs: performance.now() });
    return real;
  }

  async realRoot(create = false): Promise<string> {
    const cachedRoot = this.#trusted.get('');
    if (cachedRoot && performance.now() - cachedRoot.atMs < folderTrustMs) return cachedRoot.real;
    if (create) await this.#makeRoot();
    const real = await realpath(this.#root).catch((error: unknown) => {
      throw errnoOf(error) === 'ENOENT' ? this.#rootError('FOLDER_NOT_FOUND') : error;
    });
    if (!(await stat(real)).isDirectory()) throw this.#rootError('NOT_A_FOLDER');
    this.#trusted.set('', { real, atMs: performance.now() });
    return real;
  }

  async #makeRoot(): Promise<void> {
    const first = await createFolder(this.#root).catch((error: unknown) => {
      throw errnoOf(error) === 'EEXIST' ? this.#rootError('NOT_A_FOLDER') : error;
    });
    if (first === undefined) return;
    // The parents of all created folders are flushed, from the root up to the first one.
    for (let folder = this.#root; folder.length >= first.length; folder = dirname(folder)) {
      await flushFolder(dirname(folder));
    }
  }

  #rootError(code: 'FOLDER_NOT_FOUND' | 'NOT_A_FOLDER'): ConnectorError {
    const problem = code === 'NOT_A_FOLDER' ? 'is not a folder' : 'does not exist';
    const { fix } = storageFailures[code];
    return new ConnectorError(code, this.#root, `local folder ${this.#root} ${problem}`, fix);
  }

  assertInside(root: string, real: string, path: string): void {
    if (isInsideFolder(root, real)) return;
    throw new ConnectorError(
      'HOSTILE_PATH',
      path,
      `"${path}" is a link that leads out of local folder ${this.#root}`,
      'move the file itself into the folder',
    );
  }

  /**
   * Asserts that an open file is inside the root, because a folder on its path may have become a link since the check.
   * @param openedPath path by which the file was opened, for systems that cannot provide the path of a handle
   * @throws ConnectorError HOSTILE_PATH, after closing the file
   */
  async assertStillInside(handle: DiskFile, openedPath: string, path: string): Promise<void> {
    try {
      const real = pathOfHandle(handle.fd) ?? (await realpath(openedPath));
      this.assertInside(await this.realRoot(), real, path);
    } catch (error) {
      handle.close();
      throw error;
    }
  }

  /** Calls `task` with a path through the folder's handle, or with `folder` if the system has no such paths. */
  async withFolder<T>(
    folder: string,
    path: string,
    task: (handlePath: string) => Promise<T>,
  ): Promise<T> {
    const sharedFolder = this.#shareFolder(folder);
    try {
      const { file, realPath } = await sharedFolder.opened;
      this.assertInside(await this.realRoot(), realPath ?? (await realpath(folder)), path);
      return await task(realPath === null ? folder : `/proc/self/fd/${file.fd}`);
    } finally {
      await this.#releaseFolder(folder, sharedFolder);
    }
  }

  /** Opens or shares the handle of a folder, so that a batch of small files opens its folder only once. */
  #shareFolder(folder: string): SharedFolder {
    const cachedFolder = this.#sharedFolders.get(folder);
    if (cachedFolder && performance.now() - cachedFolder.openedAtMs < shareWindowMs) {
      cachedFolder.users += 1;
      return cachedFolder;
    }
    const handle = openWithRetry(() => DiskFile.open(folder, pathOnly | constants.O_DIRECTORY));
    const sharedFolder: SharedFolder = {
      opened: handle.then((file) => ({ file, realPath: pathOfHandle(file.fd) })),
      openedAtMs: performance.now(),
      users: 1,
    };
    this.#sharedFolders.set(folder, sharedFolder);
    return sharedFolder;
  }

  async #releaseFolder(folder: string, sharedFolder: SharedFolder): Promise<void> {
    sharedFolder.users -= 1;
    if (sharedFolder.users > 0) return;
    if (this.#sharedFolders.get(folder) === sharedFolder) this.#sharedFolders.delete(folder);
    const openedFolder = await sharedFolder.opened.catch(() => null);
    openedFolder?.file.close();
  }

  /** Drops all cached checks. Returns true if there were any. */
  clearCache(): boolean {
    const hasChecks = this.#trusted.size > 0;
    this.#trusted.clear();
    this.#resolving.clear();
    return hasChecks;
  }
}

/** Returns the path of an open file, or null if the system does not provide it. Does not access the disk. */
function pathOfHandle(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

/** True if the real path is the root or inside it. */
export function isInsideFolder(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}
