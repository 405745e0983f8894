// A file of a disk that is open. Only what asks the disk waits its turn in the system's threads: looking at an open file
// and closing one of which nothing waits to be written do not, and a catalogue of small files is mostly such calls.
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

/** A number, which can be closed at once, where a FileHandle takes a turn in the system's threads for it. */
const openFd = promisify(open);

/** Not blocking: opening a named pipe would otherwise wait for its writer. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK;
/** Fails with ELOOP where a link stands. */
export const unlinked = constants.O_NOFOLLOW;

type Done = (error: Error | null, count?: number) => void;

export class DiskFile {
  readonly fd: number;
  #isOpen = true;
  #underWay = 0;

  protected constructor(fd: number) {
    this.fd = fd;
  }

  /** For reading; a folder may be opened too, to be flushed. */
  static async open(file: string, flags = 0): Promise<DiskFile> {
    return new DiskFile(await openFd(file, toRead | flags));
  }

  look(): Stats {
    return fstatSync(this.fd);
  }

  /** Bytes of known place in one buffer; of a file that was cut short meanwhile, as many as there are. */
  async at(offset: number, bytes: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const [from, left, place] = [filled, bytes - filled, offset + filled];
      const count = await this.ask((done) => read(this.fd, buffer, from, left, place, done));
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }

  /** Settles when all that was written is on stable storage. */
  async sync(): Promise<void> {
    await this.ask((done) => fsync(this.fd, done));
  }

  /** Once, and not before what is under way has ended; a second time does nothing. */
  close(): void {
    if (this.takeOpen()) closeSync(this.fd);
  }

  /** A turn in the system's threads. @throws EBADF once it is closed: the number may be another file's by then */
  protected ask(start: (done: Done) => void): Promise<number> {
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

  /** True for who has to close it now: it is open, and nothing is under way that closes it at its end. */
  protected takeOpen(): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = false;
    return this.#underWay === 0;
  }
}

/** One that was just made, and is filled from its beginning. */
export class NewFile extends DiskFile {
  #isFlushed = true;

  /** @throws EEXIST where there is one of this name */
  static async create(file: string): Promise<NewFile> {
    return new NewFile(await openFd(file, 'wx+'));
  }

  /** Adds to its end. */
  async write(bytes: Uint8Array): Promise<void> {
    this.#isFlushed = false;
    for (let at = 0; at < bytes.length; ) {
      const [from, left] = [at, bytes.length - at];
      at += await this.ask((done) => write(this.fd, bytes, from, left, null, done));
    }
  }

  override async sync(): Promise<void> {
    await super.sync();
    this.#isFlushed = true;
  }

  /** Closes it, once. A network drive takes or refuses only then what was not flushed. */
  async end(): Promise<void> {
    if (this.#isFlushed) return this.close();
    if (this.takeOpen()) await promisify(close)(this.fd);
  }
}
