// Uploaded files on disk: streamed in, hashed on the way, never more than the limit kept.
import { createHash, randomUUID } from 'node:crypto';
import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { makePrivateFolder } from './private-folder.ts';

/** Up to this size a file is gathered in memory and written at once. */
const smallBytes = 256 * 1024;

export interface StoredFile {
  readonly bytes: number;
  readonly sha256: string;
  readonly tooLarge: boolean;
  /** The whole content, when it was small enough to be in memory anyway. */
  readonly content?: Buffer;
}

/** Thrown when a body ends before its Content-Length; nothing is stored then. */
export class CutUploadError extends Error {
  override name = 'CutUploadError';
}

/** Holds the bytes of one upload until it is whole. */
interface Sink {
  take(chunk: Uint8Array): Promise<void> | void;
  /** Puts the whole file in its place. @param twin A file of the same content, if there is one. */
  keep(path: string, twin: string | undefined): Promise<Buffer | undefined>;
  /** Leaves nothing behind. */
  drop(): Promise<void>;
}

export class Files {
  readonly #root: string;
  /** Where a small file of this content was put last, by its hash. It may be gone since. */
  readonly #twins = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
    makePrivateFolder(root);
  }

  /** Keys are made by the sandbox, never by a client: `models/{id}/source.glb`. */
  path(key: string): string {
    return join(this.#root, key.replaceAll('/', '_'));
  }

  /**
   * Stores a body under a key; a whole file takes the place of an earlier one, a cut one leaves it.
   * A body over `mostBytes` is read to its end and counted, but not kept.
   */
  async write(
    key: string,
    body: AsyncIterable<Uint8Array>,
    declaredBytes: number | undefined,
    mostBytes: number,
  ): Promise<StoredFile> {
    const sink = await this.#sink(declaredBytes, mostBytes);
    const hash = createHash('sha256');
    let bytes = 0;
    try {
      for await (const chunk of body) {
        bytes += chunk.byteLength;
        if (bytes > mostBytes) continue;
        hash.update(chunk);
        await sink.take(chunk);
      }
      if (declaredBytes !== undefined && bytes !== declaredBytes) {
        throw new CutUploadError(`got ${bytes} of ${declaredBytes} bytes`);
      }
      const sha256 = hash.digest('hex');
      if (bytes > mostBytes) {
        await sink.drop();
        await this.remove(key);
        return { bytes, sha256, tooLarge: true };
      }
      const path = this.path(key);
      const content = await sink.keep(path, this.#twins.get(sha256));
      if (content) this.#twins.set(sha256, path);
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
    this.#twins.clear();
    await rm(this.#root, { recursive: true, force: true });
    makePrivateFolder(this.#root);
  }

  #sink(declaredBytes: number | undefined, mostBytes: number): Sink | Promise<Sink> {
    const partial = join(this.#root, `partial-${randomUUID()}`);
    if (declaredBytes === undefined) return diskSink(partial);
    if (declaredBytes > mostBytes) return countingSink;
    return declaredBytes <= smallBytes ? memorySink(partial) : diskSink(partial);
  }
}

const countingSink: Sink = {
  take: () => undefined,
  keep: () => Promise.resolve(undefined),
  drop: () => Promise.resolve(),
};

function memorySink(partial: string): Sink {
  const chunks: Uint8Array[] = [];
  return {
    take: (chunk) => void chunks.push(chunk),
    // Written in this thread: handing a small file to others costs more than writing it.
    keep: async (path, twin) => {
      const content = Buffer.concat(chunks);
      const linked = isLinked(twin, partial);
      if (!linked) writeFileSync(partial, content);
      renameSync(partial, path);
      // Renaming does nothing where both are the same file already.
      if (linked) rmSync(partial, { force: true });
      return content;
    },
    drop: () => Promise.resolve(),
  };
}

/**
 * Links a file of the same content in place of writing it again, which costs many times as much. False where there is
 * none, or no more links to it are possible. Files are replaced, never changed, so nobody meets another's change.
 */
function isLinked(twin: string | undefined, path: string): boolean {
  if (twin === undefined) return false;
  try {
    linkSync(twin, path);
    return true;
  } catch {
    return false;
  }
}

async function diskSink(partial: string): Promise<Sink> {
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
