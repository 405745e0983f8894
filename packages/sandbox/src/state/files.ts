// Stores uploaded files on disk. They are streamed, hashed while they are written, and limited in size.
import { createHash, randomUUID } from 'node:crypto';
import { renameSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createPrivateFolder } from './private-folder.ts';

/** Bodies with a declared length up to this one are buffered and written in one piece. */
const smallBytes = 256 * 1024;

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly tooLarge: boolean;
  /** The whole content, if it was buffered. */
  readonly content?: Buffer;
}

/** Thrown when a body is shorter or longer than its Content-Length. Nothing is stored. */
export class UploadLengthError extends Error {
  override name = 'UploadLengthError';
}

/** Receives the bytes of one upload until it is complete. */
interface Sink {
  take(chunk: Uint8Array): Promise<void> | void;
  /** Moves the complete file to its path. @returns the content, if it was buffered */
  keep(path: string): Promise<Buffer | undefined>;
  /** Discards all bytes. */
  drop(): Promise<void>;
}

export class Files {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
    createPrivateFolder(root);
  }

  /** Returns the path of a storage key. The sandbox generates keys, never a client: `models/{id}/source.glb`. */
  path(key: string): string {
    return join(this.#root, key.replaceAll('/', '_'));
  }

  /**
   * Stores a body under a storage key and replaces an earlier file. A truncated body changes nothing. A body over
   * `maxBytes` is read to its end and counted, but discarded, and the earlier file is deleted.
   */
  async write(
    key: string,
    body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    declaredBytes: number | undefined,
    maxBytes: number,
  ): Promise<StoredFile> {
    const sink = await this.#sink(declaredBytes, maxBytes);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.byteLength;
        if (bytes > maxBytes) continue;
        hash.update(chunk);
        await sink.take(chunk);
      }
      if (declaredBytes !== undefined && bytes !== declaredBytes) {
        throw new UploadLengthError(`got ${bytes} of ${declaredBytes} bytes`);
      }
      const sha256 = hash.digest('hex');
      if (bytes > maxBytes) {
        await sink.drop();
        await this.remove(key);
        return { bytes, sha256, tooLarge: true };
      }
      const content = await sink.keep(this.path(key));
      return { bytes, sha256, tooLarge: false, ...(content ? { content } : {}) };
    } catch (error) {
      await sink.drop();
      throw error;
    }
  }

  read(key: string): Promise<Buffer> {
    return readFile(this.path(key));
  }

  async remove(key: string): Promise<void> {
    await rm(this.path(key), { force: true });
  }

  async clear(): Promise<void> {
    await rm(this.#root, { recursive: true, force: true });
    createPrivateFolder(this.#root);
  }

  #sink(declaredBytes: number | undefined, maxBytes: number): Sink | Promise<Sink> {
    const partialPath = join(this.#root, `partial-${randomUUID()}`);
    if (declaredBytes === undefined) return openDiskSink(partialPath);
    if (declaredBytes > maxBytes) return countingSink;
    return declaredBytes <= smallBytes ? createMemorySink(partialPath) : openDiskSink(partialPath);
  }
}

const countingSink: Sink = {
  take: () => undefined,
  keep: () => Promise.resolve(undefined),
  drop: () => Promise.resolve(),
};

function createMemorySink(partial: string): Sink {
  const chunks: Uint8Array[] = [];
  return {
    take: (chunk) => void chunks.push(chunk),
    // The file is written synchronously, because passing a small file to another thread costs more.
    keep: async (path) => {
      const content = Buffer.concat(chunks);
      writeFileSync(partial, content);
      renameSync(partial, path);
      return content;
    },
    drop: () => Promise.resolve(),
  };
}

async function openDiskSink(partial: string): Promise<Sink> {
  const file = await open(partial, 'w');
  return {
    take: async (chunk) => void (await file.write(chunk)),
    keep: async (path) => {
      await file.close();
      await rename(partial, path);
      return undefined;
    },
    drop: async () => {
      await file.close();
      await rm(partial, { force: true });
    },
  };
}
