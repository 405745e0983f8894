// Files that an activity has moved, written down as it goes: whoever does the work of a worker that died moves only those
// again of which nothing stands here.
import type { JsonObjects } from '../objects/json-objects.ts';
import { encodeKey, hashOf } from '../objects/object-name.ts';

const schema = 'renderline/moved-files/v1';
/** Of smaller files a few may go again: writing each down would cost more than moving it. */
const writtenEveryBytes = 32 * 1024 * 1024;

export interface MovedFile {
  bytes: number;
  /** Hex. */
  sha256: string;
}

interface Book<File> {
  schema: typeof schema;
  files: Record<string, File>;
}

/** @param name of the work, unlike that of any other in its shard */
export function movedPath({ run, shard }: { run: string; shard: number }, name: string): string {
  return `runs/${encodeKey(run)}/moved/${String(shard).padStart(4, '0')}/${hashOf(name)}.json`;
}

export class MovedFiles<File extends MovedFile = MovedFile> {
  readonly #objects: JsonObjects;
  readonly #path: string;
  readonly #files: Map<string, File>;
  #unwrittenBytes = 0;
  #writing: Promise<unknown> = Promise.resolve();

  private constructor(objects: JsonObjects, path: string, files: Record<string, File>) {
    this.#objects = objects;
    this.#path = path;
    this.#files = new Map(Object.entries(files));
  }

  /** Of work that nobody has begun: nothing is read. */
  static begin<File extends MovedFile>(objects: JsonObjects, path: string): MovedFiles<File> {
    return new MovedFiles<File>(objects, path, {});
  }

  /** Of work that an earlier attempt, or a run before, may have begun; `path` first. */
  static async resume<File extends MovedFile>(
    objects: JsonObjects,
    path: string,
    others: readonly string[],
  ): Promise<MovedFiles<File>> {
    const books = await Promise.all(
      [...others, path].map((one) => objects.read<Book<File>>(one, schema)),
    );
    const files = Object.assign({}, ...books.map((book) => book?.files ?? {})) as Record<
      string,
      File
    >;
    return new MovedFiles<File>(objects, path, files);
  }

  get(id: string): File | undefined {
    return this.#files.get(id);
  }

  all(): File[] {
    return [...this.#files.values()];
  }

  /** A file that is where it should be. Settles when it is written down, or need not be yet. */
  async add(id: string, file: File): Promise<void> {
    this.#files.set(id, file);
    this.#unwrittenBytes += file.bytes;
    if (this.#unwrittenBytes >= writtenEveryBytes) await this.flush();
  }

  /** Settles when all files so far are written down. */
  async flush(): Promise<void> {
    this.#unwrittenBytes = 0;
    // One after the other: an older state must not replace a newer one.
    const written = this.#writing.then(() => this.#write());
    this.#writing = written.catch(() => undefined);
    await written;
  }

  #write(): Promise<unknown> {
    const book: Book<File> = { schema, files: Object.fromEntries(this.#files) };
    return this.#objects.write(this.#path, book);
  }
}
