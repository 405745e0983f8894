// Files that an activity has transferred. If the worker dies, its successor transfers only the others.
import { ignoreDamage, type JsonObjects } from '../objects/json-objects.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { hashOf, numberName, runFolder } from '../objects/object-name.ts';

const schema = 'renderline/transferred-files/v1';
/** Bytes between two writes. Storing each small file would cost more than transferring a few again. */
const writeIntervalBytes = 32 * 1024 * 1024;

export interface TransferredFile {
  bytes: number;
  /** Hash in hex. */
  sha256: string;
}

interface TransferLog<File> {
  schema: typeof schema;
  files: Record<string, File>;
}

/** @param name name of the work, unique in its shard */
export function transferLogPath(
  { run, shard }: { run: string; shard: number },
  name: string,
): string {
  return `${runFolder(run)}/moved/${numberName(shard, 4)}/${hashOf(name)}.json`;
}

export class TransferredFiles<File extends TransferredFile = TransferredFile> {
  readonly #objects: JsonObjects;
  readonly #path: string;
  readonly #files: Map<string, File>;
  #unwrittenBytes = 0;
  #lastWrite: Promise<unknown> = Promise.resolve();

  private constructor(objects: JsonObjects, path: string, files: Record<string, File>) {
    this.#objects = objects;
    this.#path = path;
    this.#files = new Map(Object.entries(files));
  }

  /** Creates the list for work that nobody has started. Reads nothing. */
  static start<File extends TransferredFile>(
    objects: JsonObjects,
    path: string,
  ): TransferredFiles<File> {
    return new TransferredFiles<File>(objects, path, {});
  }

  /** Reads the lists of work that an earlier attempt or run may have started. `path` takes precedence over `others`. */
  static async resume<File extends TransferredFile>(
    objects: JsonObjects,
    path: string,
    others: readonly string[],
  ): Promise<TransferredFiles<File>> {
    // A damaged list only costs work, since its files are transferred again.
    const read = (logPath: string) =>
      objects.read<TransferLog<File>>(logPath, schema).catch(ignoreDamage);
    const logs = await mapBounded([...others, path], read);
    const files = Object.assign({}, ...logs.map((log) => log?.files ?? {})) as Record<string, File>;
    return new TransferredFiles<File>(objects, path, files);
  }

  get(id: string): File | undefined {
    return this.#files.get(id);
  }

  all(): File[] {
    return [...this.#files.values()];
  }

  /** Adds a transferred file. Resolves when the file is stored, or need not be stored yet. */
  async add(id: string, file: File): Promise<void> {
    this.#files.set(id, file);
    this.#unwrittenBytes += file.bytes;
    if (this.#unwrittenBytes >= writeIntervalBytes) await this.flush();
  }

  /** Resolves when all files so far are stored. */
  async flush(): Promise<void> {
    this.#unwrittenBytes = 0;
    // Writes run one after the other, so that an older state never replaces a newer one.
    const currentWrite = this.#lastWrite.then(() => this.#write());
    this.#lastWrite = currentWrite.catch(() => undefined);
    await currentWrite;
  }

  #write(): Promise<unknown> {
    const log: TransferLog<File> = { schema, files: Object.fromEntries(this.#files) };
    return this.#objects.write(this.#path, log);
  }
}
