// Confines paths to one folder of a server. Links that lead out of the folder are not followed, although the server
// would follow them, because a pipeline may access only the folder given in its file.
import { ConnectorError } from '../connector-error.ts';
import { findStatus, SftpConnectionError, status } from './sftp-errors.ts';
import type { SftpFiles } from './sftp-files.ts';

/** A folder is checked again after this time, because a link may have replaced it. */
const folderTrustMs = 5_000;
const maxTrustedFolders = 4_096;

export class SftpJail {
  readonly #files: SftpFiles;
  readonly #root: string;
  readonly #trusted = new Map<string, { real: string; atMs: number }>();

  constructor(files: SftpFiles, root: string) {
    this.#files = files;
    this.#root = root;
  }

  /** Returns the real path of a folder. Each level is checked and, with `create`, created. */
  async resolveFolder(parts: readonly string[], create: boolean): Promise<string> {
    const name = parts.join('/');
    const cachedFolder = this.#trusted.get(name);
    if (cachedFolder && performance.now() - cachedFolder.atMs < folderTrustMs)
      return cachedFolder.real;
    const isRoot = parts.length === 0;
    const full = isRoot
      ? this.#root
      : `${await this.resolveFolder(parts.slice(0, -1), create)}/${parts.at(-1) ?? ''}`;
    const info = await this.#stat(full).then((existingInfo) =>
      existingInfo === null && create ? this.#make(full, isRoot) : existingInfo,
    );
    if (info === null) throw isRoot ? this.#noRootError() : noSuchFileError();
    if (!info.isDirectory()) {
      const problem = `${isRoot ? this.#root : `"${name}"`} is not a folder`;
      throw new ConnectorError('NOT_A_FOLDER', name, problem, 'check the path');
    }
    const real = await this.#files.realpath(full);
    if (!isRoot) await this.assertInside(real);
    if (this.#trusted.size >= maxTrustedFolders) this.#trusted.clear();
    this.#trusted.set(name, { real, atMs: performance.now() });
    return real;
  }

  async resolveFile(folder: string, name: string): Promise<string> {
    const full = `${folder}/${name}`;
    if (!(await this.#files.lstat(full)).isSymbolicLink()) return full;
    const real = await this.#files.realpath(full);
    await this.assertInside(real);
    return real;
  }

  /**
   * Asserts, after a path was opened or before it is deleted, that it is still inside the root: a folder on it may have
   * become a link since it was checked. The protocol cannot check a handle, so a link that is removed again before this
   * check is not detected.
   */
  async assertStillInside(path: string): Promise<void> {
    await this.assertInside(await this.#files.realpath(path));
  }

  async assertInside(real: string): Promise<void> {
    const root = await this.resolveFolder([], false);
    if (real === root || real.startsWith(root === '/' ? '/' : `${root}/`)) return;
    throw new SftpConnectionError('hostile', 'the link leads out of the folder');
  }

  /** Drops all cached checks. Returns true if there were any. */
  clearCache(): boolean {
    const hasChecks = this.#trusted.size > 0;
    this.#trusted.clear();
    return hasChecks;
  }

  async #stat(path: string) {
    return this.#files.stat(path).catch((error: unknown) => {
      if (findStatus(error) === status.noSuchFile) return null;
      throw error;
    });
  }

  async #make(path: string, withParents: boolean) {
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (withParents && parent !== '' && (await this.#stat(parent)) === null) {
      await this.#make(parent, true);
    }
    // Another writer may be creating the folder at the same time, so only its existence counts.
    const mkdirError = await this.#files.mkdir(path).catch((error: unknown) => error);
    if (mkdirError === undefined && !withParents) await this.#deleteIfOutside(path);
    const info = await this.#stat(path);
    if (info === null && mkdirError !== undefined) throw mkdirError;
    return info;
  }

  /** Deletes a new folder if a link in place of its parent has led outside the root. */
  async #deleteIfOutside(path: string): Promise<void> {
    await this.assertStillInside(path).catch(async (error: unknown) => {
      if (error instanceof SftpConnectionError)
        await this.#files.rmdir(path).catch(() => undefined);
      throw error;
    });
  }

  #noRootError(): ConnectorError {
    const problem = `${this.#root} does not exist on the server`;
    return new ConnectorError('FOLDER_NOT_FOUND', this.#root, problem, 'check the path');
  }
}

function noSuchFileError(): Error {
  return Object.assign(new Error('file not found'), { code: status.noSuchFile });
}
