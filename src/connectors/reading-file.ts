// A file of a disk that is open for reading. Only what asks the disk waits its turn in the system's threads: looking at
// an open file and closing it do not, and a catalogue of small files is mostly such calls.
import { closeSync, constants, fstatSync, open, read, type Stats } from 'node:fs';
import { promisify } from 'node:util';

/** A number, which can be closed at once, where a FileHandle takes a turn in the system's threads for it. */
export const openFd = promisify(open);

/** Not blocking: opening a named pipe would otherwise wait for its writer. */
const toRead = constants.O_RDONLY | constants.O_NONBLOCK;
/** Fails with ELOOP where a link stands. */
export const unlinked = constants.O_NOFOLLOW;

export class ReadingFile {
  readonly fd: number;
  #isOpen = true;

  private constructor(fd: number) {
    this.fd = fd;
  }

  static async open(file: string, flags = 0): Promise<ReadingFile> {
    return new ReadingFile(await openFd(file, toRead | flags));
  }

  look(): Stats {
    return fstatSync(this.fd);
  }

  /** Bytes of known place in one buffer; of a file that was cut short meanwhile, as many as there are. */
  async at(offset: number, bytes: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(bytes);
    let filled = 0;
    while (filled < bytes) {
      const count = await this.#read(buffer, filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return buffer.subarray(0, filled);
  }

  #read(buffer: Buffer, filled: number, position: number): Promise<number> {
    return new Promise((resolve, reject) => {
      read(this.fd, buffer, filled, buffer.length - filled, position, (error, count) => {
        if (error) reject(error);
        else resolve(count);
      });
    });
  }

  /** Once; a second time does nothing. */
  close(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    closeSync(this.fd);
  }
}
