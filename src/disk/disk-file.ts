// An open file on a disk. Only system calls that access the disk use libuv's thread pool. `stat` on an open file, and
// `close` of a file without unwritten data, are synchronous: with many small files, most calls are of these two kinds.
import {
  close,
  closeSync,
  constants,
  fstatSync,
  fsync,
  open,
  read,
  type Stats,
  write,
} from 'node:fs';
import { promisify } from 'node:util';

/** Opens a file descriptor, which can be closed synchronously. Closing a FileHandle would use the thread pool. */
const openFd = promisify(open);

/** Non-blocking, because opening a named pipe would otherwise wait for its writer. */
const readFlags = constants.O_RDONLY | constants.O_NONBLOCK;
/** Flag that makes opening a symbolic link fail with ELOOP. */
export const noFollow = constants.O_NOFOLLOW;

type DoneCallback = (error: Error | null, count?: number) => void;

export class DiskFile {
  readonly fd: number;
  #isOpen = true;
  #underWay = 0;

  protected constructor(fd: number) {
    this.fd = fd;
  }

  /** Opens a file for reading, or a folder for flushing. */
  static async open(file: string, flags = 0): Promise<DiskFile> {
    return new DiskFile(await openFd(file, readFlags | flags));
  }

  stat(): Stats {
    return fstatSync(this.fd);
  }

  /** Reads `bytes` bytes at `offset`. Returns fewer only if the file is shorter. */
  async readAt(offset: number, bytes: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const [start, length, position] = [filled, bytes - filled, offset + filled];
      const count = await this.runInPool((done) =>
        read(this.fd, buffer, start, length, position, done),
      );
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }

  /** Resolves when all written data is on stable storage. */
  async sync(): Promise<void> {
    await this.runInPool((done) => fsync(this.fd, done));
  }

  /** Closes the file once the running system calls have ended. Does nothing if the file is already closed. */
  close(): void {
    if (this.markClosed()) closeSync(this.fd);
  }

  /** Runs a system call in the thread pool. @throws EBADF after `close`, when another file may have the descriptor */
  protected runInPool(start: (done: DoneCallback) => void): Promise<number> {
    return new Promise((resolve, reject) => {
      if (!this.#isOpen) throw Object.assign(new Error('the file is closed'), { code: 'EBADF' });
      this.#underWay += 1;
      start((error, count = 0) => {
        this.#underWay -= 1;
        if (!this.#isOpen && this.#underWay === 0) close(this.fd, () => undefined);
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  /** Marks the file as closed. Returns true if no call is running, so that the caller must close the descriptor now. */
  protected markClosed(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    return this.#underWay === 0;
  }
}

/** A new file, written from its beginning. */
export class NewFile extends DiskFile {
  #isFlushed = true;
  #writing = Promise.resolve();

  /** Creates an empty file. @throws EEXIST if the name is taken */
  static async create(file: string): Promise<NewFile> {
    return new NewFile(await openFd(file, 'wx+'));
  }

  write(bytes: Uint8Array): Promise<void> {
    this.#isFlushed = false;
    this.#writing = this.#append(bytes);
    return this.#writing;
  }

  async #append(bytes: Uint8Array): Promise<void> {
    for (let offset = 0; offset < bytes.length; ) {
      const [start, length] = [offset, bytes.length - offset];
      offset += await this.runInPool((done) => write(this.fd, bytes, start, length, null, done));
    }
  }

  override async sync(): Promise<void> {
    await super.sync();
    this.#isFlushed = true;
  }

  /**
   * Closes the file once a running write has ended. A network drive may accept or refuse unflushed data only at this
   * point, so errors are reported.
   */
  async end(): Promise<void> {
    if (this.#isFlushed) return this.close();
    // The error is ignored here, because the caller of `write` receives it.
    await this.#writing.catch(() => undefined);
    if (this.markClosed()) await promisify(close)(this.fd);
  }
}
