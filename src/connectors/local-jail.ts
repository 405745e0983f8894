// Real paths inside one folder. Every folder on the way is resolved and compared with the root, so that
// neither a path nor a link leads out.

import { constants, readlinkSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { DiskFile } from '../disk/disk-file.ts';
import { ConnectorError, errnoOf } from './connector-error.ts';
import { flushFolder } from './folder-flush.ts';
import { openPatiently } from './patience.ts';

/** A folder checked longer ago is checked again: somebody may have put a link in its place. */
const folderTrustMs = 1_000;
const trustedFolders = 4_096;
/** Works that begin within this time of each other share one opening of their folder. */
const shareHoldMs = 100;
/** Linux's O_PATH, which Node does not name: a folder may be held that may not be read. */
const onlyToHold = process.platform === 'linux' ? 0o10000000 : constants.O_RDONLY;
/** Records of runs: made for us alone. A team that shares them over several accounts opens the folder itself. */
const privateFolder = '.renderline';

/** A folder that works are under way in, and that is closed with the last of them. */
interface Hold {
  readonly opened: Promise<Held>;
  readonly sinceMs: number;
  users: number;
}

interface Held {
  file: DiskFile;
  /** null where the system does not tell. */
  place: string | null;
}

export class LocalJail {
  readonly #root: string;
  readonly #trusted = new Map<string, { real: string; atMs: number }>();
  /** Folders that are just looked at: a batch of small files would else look for each. */
  readonly #looking = new Map<string, Promise<string>>();
  /** The youngest of each folder. */
  readonly #holds = new Map<string, Hold>();

  /** `root` is absolute; it need not exist yet. */
  constructor(root: string) {
    this.#root = root;
  }

  /** Real path of a folder inside the root; each level is made inside one that was checked before. */
  async folder(parts: readonly string[], create: boolean): Promise<string> {
    if (parts.length === 0) return this.realRoot(create);
    const name = parts.join('/');
    const known = this.#trusted.get(name);
    if (known && performance.now() - known.atMs < folderTrustMs) return known.real;
    const look = `${create} ${name}`;
    const mine = this.#looking.get(look) ?? this.#lookAt(parts, create);
    this.#looking.set(look, mine);
    try {
      return await mine;
    } finally {
      if (this.#looking.get(look) === mine) this.#looking.delete(look);
    }
  }

  async #lookAt(parts: readonly string[], create: boolean): Promise<string> {
    const name = parts.join('/');
    const root = await this.realRoot(create);
    const real = await realpath(join(root, ...parts)).catch(async (error: unknown) => {
      if (!create || errnoOf(error) !== 'ENOENT') throw error;
      const parent = await this.folder(parts.slice(0, -1), true);
      const own = parts.at(-1) ?? '';
      const full = join(parent, own);
      const mode = own === privateFolder ? { mode: 0o700 } : {};
      const make = (held: string) => mkdir(join(held, own), mode);
      await this.within(parent, name, make).catch((failure: unknown) => {
        if (errnoOf(failure) !== 'EEXIST') throw failure;
      });
      // A file is durable only once its folder is.
      await flushFolder(parent);
      return realpath(full);
    });
    this.mustBeInside(root, real, name);
    if (this.#trusted.size >= trustedFolders) this.#trusted.clear();
    this.#trusted.set(name, { real, atMs: performance.now() });
    return real;
  }

  async realRoot(create = false): Promise<string> {
    const known = this.#trusted.get('');
    if (known && performance.now() - known.atMs < folderTrustMs) return known.real;
    if (create) await this.#makeRoot();
    const real = await realpath(this.#root).catch((error: unknown) => {
      throw errnoOf(error) === 'ENOENT' ? this.#rootError('FOLDER_NOT_FOUND') : error;
    });
    if (!(await stat(real)).isDirectory()) throw this.#rootError('NOT_A_FOLDER');
    this.#trusted.set('', { real, atMs: performance.now() });
    return real;
  }

  async #makeRoot(): Promise<void> {
    const first = await mkdir(this.#root, { recursive: true }).catch((error: unknown) => {
      throw errnoOf(error) === 'EEXIST' ? this.#rootError('NOT_A_FOLDER') : error;
    });
    if (first === undefined) return;
    // All that were made, from the root up to the first.
    for (let made = this.#root; made.length >= first.length; made = dirname(made)) {
      await flushFolder(dirname(made));
    }
  }

  #rootError(code: 'FOLDER_NOT_FOUND' | 'NOT_A_FOLDER'): ConnectorError {
    const what = code === 'NOT_A_FOLDER' ? 'is not a folder' : 'does not exist';
    return new ConnectorError(code, this.#root, `${this.#root} ${what}`, 'check the path');
  }

  mustBeInside(root: string, real: string, path: string): void {
    if (isInside(root, real)) return;
    throw new ConnectorError(
      'HOSTILE_PATH',
      path,
      `"${path}" is a link that leads out of local folder ${this.#root}`,
      'put the file itself into the folder',
    );
  }

  /**
   * Looks where an open file is: a folder on its way may have become a link since it was checked.
   * @param named by which it was opened, for systems that cannot tell where a handle is
   * @throws ConnectorError HOSTILE_PATH, with the file closed
   */
  async mustHold(handle: DiskFile, named: string, path: string): Promise<void> {
    try {
      const real = placeOf(handle.fd) ?? (await realpath(named));
      this.mustBeInside(await this.realRoot(), real, path);
    } catch (error) {
      handle.close();
      throw error;
    }
  }

  /** Does something in a real folder that stays the one that was looked at, whatever becomes of its name. */
  async within<T>(folder: string, path: string, work: (held: string) => Promise<T>): Promise<T> {
    const hold = this.#hold(folder);
    try {
      const { file, place } = await hold.opened;
      this.mustBeInside(await this.realRoot(), place ?? (await realpath(folder)), path);
      return await work(place === null ? folder : `/proc/self/fd/${file.fd}`);
    } finally {
      await this.#letGo(folder, hold);
    }
  }

  /** Works at once share one: a batch of small files would else open its folder for each. */
  #hold(folder: string): Hold {
    const known = this.#holds.get(folder);
    if (known && performance.now() - known.sinceMs < shareHoldMs) {
      known.users += 1;
      return known;
    }
    const opened = openPatiently(() => DiskFile.open(folder, onlyToHold | constants.O_DIRECTORY));
    const hold: Hold = {
      opened: opened.then((file) => ({ file, place: placeOf(file.fd) })),
      sinceMs: performance.now(),
      users: 1,
    };
    this.#holds.set(folder, hold);
    return hold;
  }

  async #letGo(folder: string, hold: Hold): Promise<void> {
    hold.users -= 1;
    if (hold.users > 0) return;
    if (this.#holds.get(folder) === hold) this.#holds.delete(folder);
    const held = await hold.opened.catch(() => null);
    held?.file.close();
  }

  /** Forgets what was checked, so that it is checked again; true when there was something. */
  forget(): boolean {
    const known = this.#trusted.size > 0;
    this.#trusted.clear();
    this.#looking.clear();
    return known;
  }
}

/** Path of an open file by the system; null where the system does not tell. It asks no disk, so nothing waits. */
function placeOf(fd: number): string | null {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`);
  } catch {
    return null;
  }
}

/** Is this real path the root or below it? */
export function isInside(root: string, real: string): boolean {
  return real === root || real.startsWith(root.endsWith(sep) ? root : root + sep);
}
