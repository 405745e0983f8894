// The requests of the SFTP protocol that the connector needs, as promises.
import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { asRecord } from '../../api/unknown-values.ts';
import type { TransferOptions } from '../connector.ts';
import type { FilledFile } from '../staging.ts';
import type { SftpConnection } from './sftp-connection.ts';
import { findStatus, status } from './sftp-errors.ts';

/** Number of concurrent pieces. It uses the bandwidth of connections with a high latency. */
const maxConcurrentPieces = 8;
const pieceBytes = 128 * 1024;

const replaceExtension = 'posix-rename@openssh.com';

function noReplaceError(): Error {
  return Object.assign(new Error(`no ${replaceExtension}`), { code: status.unsupported });
}

export class SftpFiles {
  readonly #connection: SftpConnection;

  constructor(connection: SftpConnection) {
    this.#connection = connection;
  }

  stat(path: string): Promise<Stats> {
    return this.#connection.request((sftp, done) => sftp.stat(path, done));
  }

  lstat(path: string): Promise<Stats> {
    return this.#connection.request((sftp, done) => sftp.lstat(path, done));
  }

  realpath(path: string): Promise<string> {
    return this.#connection.request((sftp, done) => sftp.realpath(path, done));
  }

  mkdir(path: string): Promise<void> {
    return this.#run((sftp, done) => sftp.mkdir(path, done));
  }

  rmdir(path: string): Promise<void> {
    return this.#run((sftp, done) => sftp.rmdir(path, done));
  }

  unlink(path: string): Promise<void> {
    return this.#run((sftp, done) => sftp.unlink(path, done));
  }

  /** Renames a file. The protocol refuses existing targets. With OpenSSH, only one of several writers succeeds. */
  rename(from: string, to: string): Promise<void> {
    return this.#run((sftp, done) => sftp.rename(from, to, done));
  }

  /** Renames a file, replacing the target atomically. */
  replace(from: string, to: string): Promise<void> {
    return this.#run((sftp, done) => {
      try {
        sftp.ext_openssh_rename(from, to, done);
      } catch {
        // The client throws immediately if the server has not announced this extension.
        done(noReplaceError());
      }
    });
  }

  /** Throws like `replace` if the server has not announced the extension. Sends nothing if already connected. */
  checkReplace(): Promise<void> {
    return this.#run((sftp, done) => {
      // The cast is needed, because the client keeps the announced extensions in a field that its types lack.
      const extensions = asRecord(sftp)['_extensions'];
      const isMissing = extensions !== undefined && !(replaceExtension in asRecord(extensions));
      done(isMissing ? noReplaceError() : null);
    });
  }

  open(path: string, flags: 'r' | 'wx'): Promise<Buffer> {
    return this.#connection.request((sftp, done) => sftp.open(path, flags, done));
  }

  close(handle: Buffer): Promise<void> {
    return this.#run((sftp, done) => sftp.close(handle, done));
  }

  fstat(handle: Buffer): Promise<Stats> {
    return this.#connection.request((sftp, done) => sftp.fstat(handle, done));
  }

  /** Flushes the file to stable storage if the server supports this. */
  sync(handle: Buffer): Promise<void> {
    return this.#run((sftp, done) => {
      try {
        sftp.ext_openssh_fsync(handle, done);
      } catch {
        done(null);
      }
    });
  }

  /** Reads all entries of a folder in pages. `check` is awaited before each page is returned. */
  async *readFolder(
    path: string,
    check: () => Promise<void>,
  ): AsyncGenerator<FileEntryWithStats[]> {
    const handle = await this.#connection.request<Buffer>((sftp, done) => sftp.opendir(path, done));
    try {
      for (;;) {
        const page = await this.#connection.request<FileEntryWithStats[] | null>((sftp, done) =>
          sftp.readdir(handle, (error, list) =>
            // The server reports the end of the folder as a status.
            findStatus(error) === status.endOfFile ? done(null, null) : done(error, list),
          ),
        );
        if (page === null) return;
        // Servers read the attributes of each file by its path, so the folder is checked again.
        await check();
        yield page;
      }
    } finally {
      await this.close(handle).catch(() => undefined);
    }
  }

  /** Reads up to `length` bytes. Returns fewer only at the end of the file. */
  async readAt(handle: Buffer, offset: number, length: number): Promise<Buffer> {
    const buffer = Buffer.allocUnsafe(length);
    let filled = 0;
    while (filled < length) {
      const bytes = await this.#connection.request<number>((sftp, done) =>
        sftp.read(handle, buffer, filled, length - filled, offset + filled, (error, read) =>
          findStatus(error) === status.endOfFile ? done(null, 0) : done(error, read),
        ),
      );
      if (bytes === 0) break;
      filled += bytes;
    }
    return buffer.subarray(0, filled);
  }

  async *readAll(handle: Buffer, bytes: number): AsyncGenerator<Buffer> {
    const pieces: Promise<Buffer>[] = [];
    let requestedBytes = 0;
    const requestNext = () => {
      if (requestedBytes >= bytes) return;
      const length = Math.min(pieceBytes, bytes - requestedBytes);
      const piece = this.readAt(handle, requestedBytes, length);
      // Prevents an unhandled rejection if the reader has stopped. Otherwise, the reader gets the error at this piece.
      piece.catch(() => undefined);
      pieces.push(piece);
      requestedBytes += pieceBytes;
    };
    for (let count = 0; count < maxConcurrentPieces; count += 1) requestNext();
    for (let piece = pieces.shift(); piece !== undefined; piece = pieces.shift()) {
      requestNext();
      yield await piece;
    }
  }

  async writeAt(handle: Buffer, bytes: Uint8Array, offset: number): Promise<void> {
    if (bytes.length === 0) return;
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    await this.#run((sftp, done) => sftp.write(handle, buffer, 0, buffer.length, offset, done));
  }

  async writeAll(handle: Buffer, file: FilledFile, { signal, onProgress }: TransferOptions) {
    const underWay = new Set<Promise<void>>();
    let offset = 0;
    for await (const bytes of file.pieces()) {
      signal?.throwIfAborted();
      const piece = this.writeAt(handle, bytes, offset).then(() => {
        underWay.delete(piece);
        onProgress?.();
      });
      piece.catch(() => undefined);
      underWay.add(piece);
      offset += bytes.length;
      if (underWay.size >= maxConcurrentPieces) await Promise.race(underWay);
    }
    await Promise.all(underWay);
  }

  /** Sends a request whose response has no value. */
  #run(start: (sftp: SFTPWrapper, done: (error?: Error | null) => void) => void): Promise<void> {
    return this.#connection.request((sftp, done) => start(sftp, (error) => done(error)));
  }
}
