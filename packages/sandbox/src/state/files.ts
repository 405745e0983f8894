// Stores uploaded files on disk: streamed, hashed while writing, limited in size.
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

/** Bodies with a declared length up to this one are buffered and written at once. */
const smallBytes = 256 * 1024;

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly tooLarge: boolean;
  /** The whole content, if it was buffered. */
  readonly content?: Buffer;
}

/** Thrown when a body is shorter or longer than its Content-Length; nothing is stored. */
export class CutUploadError extends Error {
  override name = 'CutUploadError';
}

/** Receives the bytes of one upload until it is complete. */
interface Sink {
  take(chunk: Uint8Array): Promise<void> | void;
  /** Moves the complete file to its path. @param existingCopy a file that had the same content, if any */
  keep(path: string, existingCopy: string | undefined): Promise<Buffer | undefined>;
  /** Discards all bytes. */
  drop(): Promise<void>;
}

export class Files {
  readonly #root: string;
  /** Path of the latest small file with each content, by hash. That file may have been deleted or replaced since. */
  readonly #pathByHash = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
    makePrivateFolder(root);
  }

  /** The path of a storage key, which the sandbox generates, never a client: `models/{id}/source.glb`. */
  path(key: string): string {
    return join(this.#root, key.replaceAll('/', '_'));
  }

  /**
   * Stores a body under a storage key and replaces an earlier file; a truncated body changes nothing. A body over
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
        throw new CutUploadError(`got ${bytes} of ${declaredBytes} bytes`);
      }
      const sha256 = hash.digest('hex');
      if (bytes > maxBytes) {
        await sink.drop();
        await this.remove(key);
        return { bytes, sha256, tooLarge: true };
      }
      const path = this.path(key);
      const content = await sink.keep(path, this.#pathByHash.get(sha256));
      if (content) this.#pathByHash.set(sha256, path);
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
    this.#pathByHash.clear();
    await rm(this.#root, { recursive: true, force: true });
    makePrivateFolder(this.#root);
  }

  #sink(declaredBytes: number | undefined, maxBytes: number): Sink | Promise<Sink> {
    const partial = join(this.#root, `partial-${randomUUID()}`);
    if (declaredBytes === undefined) return openDiskSink(partial);
    if (declaredBytes > maxBytes) return countingSink;
    return declaredBytes <= smallBytes ? createMemorySink(partial) : openDiskSink(partial);
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
    // Written synchronously: passing a small file to another thread costs more.
    keep: async (path, existingCopy) => {
      const content = Buffer.concat(chunks);
      const linked = isLinked(existingCopy, partial, content);
      if (!linked) writeFileSync(partial, content);
      renameSync(partial, path);
      // rename does nothing if both paths are links to the same file.
      if (linked) rmSync(partial, { force: true });
      return content;
    },
    drop: () => Promise.resolve(),
  };
}

/**
 * Links to a file that had the same content, which is much cheaper than another copy. False if the file has gone or has
 * another content by now, or cannot be linked. Files are replaced and never changed in place, so links are safe.
 */
function isLinked(existingCopy: string | undefined, path: string, content: Buffer): boolean {
  if (existingCopy === undefined) return false;
  try {
    linkSync(existingCopy, path);
    const isSame = statSync(path).size === content.length && readFileSync(path).equals(content);
    if (!isSame) rmSync(path);
    return isSame;
  } catch {
    return false;
  }
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
