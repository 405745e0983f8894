// A simulated bucket with any number of models. They are generated from their index, so that they use no memory in the
// measured process. The contents of written objects are stored in a folder.
import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Bucket, ByteRange, StoredObject } from '../../src/connectors/bucket/bucket.ts';
import { compareNames } from '../../src/connectors/disk/name-order.ts';
import { recordName } from '../../src/store/objects/object-name.ts';
import { sourceOf } from '../../src/store/records/source-version.ts';

const pageSize = 1_000;
const modelsFolder = 'models/';
const aFolder = 1_000;

export interface NumberedOptions {
  names: number;
  /** Folder for written objects. */
  folder: string;
  /** Folder of the records, and recipe of the run that has delivered everything. Null before such a run. */
  delivered: { folder: string; recipe: string } | null;
}

export class NumberedBucket implements Bucket {
  readonly #options: NumberedOptions;
  readonly #objects = new Map<string, StoredObject>();
  readonly requests = { list: 0, head: 0, get: 0, put: 0 };

  constructor(options: NumberedOptions) {
    this.#options = options;
  }

  async *list(
    prefix: string,
    _signal: AbortSignal | undefined,
    startAfter = '',
  ): AsyncGenerator<StoredObject[]> {
    const { names, delivered } = this.#options;
    if (prefix === modelsFolder) {
      yield* this.#pages(firstBehind(startAfter, names, modelName), names, modelAt);
    } else if (delivered && prefix === `${delivered.folder}/`) {
      const nameOfRecord = (index: number) => recordAt(index, delivered).name;
      yield* this.#pages(firstBehind(startAfter, names, nameOfRecord), names, (index) =>
        recordAt(index, delivered),
      );
    } else {
      this.requests.list += 1;
      const objects = [...this.#objects.values()].filter(({ name }) => name.startsWith(prefix));
      yield objects.sort((a, b) => compareNames(a.name, b.name));
    }
  }

  async head(name: string): Promise<StoredObject | null> {
    this.requests.head += 1;
    return this.#objects.get(name) ?? null;
  }

  async get(name: string, range: ByteRange | null) {
    this.requests.get += 1;
    const object = this.#objects.get(name);
    if (!object) throw new NoObjectError(name);
    const bytes = await readFile(this.#fileOf(name));
    const { offset, length } = range ?? { offset: 0, length: bytes.length };
    return { object, body: Readable.from([bytes.subarray(offset, offset + length)]) };
  }

  async put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'> {
    this.requests.put += 1;
    if (ifAbsent && this.#objects.has(name)) return 'exists';
    const etag = createHash('md5').update(bytes).digest('hex');
    this.#objects.set(name, { name, bytes: bytes.length, mtimeMs: Date.now(), etag });
    await writeFile(this.#fileOf(name), bytes);
    return 'written';
  }

  putFile(): Promise<void> {
    throw new TypeError('no files are sent here');
  }

  async remove(name: string): Promise<void> {
    this.#objects.delete(name);
    await rm(this.#fileOf(name), { force: true });
  }

  async *#pages(from: number, to: number, objectAt: (index: number) => StoredObject) {
    for (let start = from; start < to; start += pageSize) {
      this.requests.list += 1;
      const count = Math.min(pageSize, to - start);
      // The call is asynchronous, like a response from a network, so that other requests may overtake it.
      await new Promise((resolve) => setImmediate(resolve));
      yield Array.from({ length: count }, (_, index) => objectAt(start + index));
    }
  }

  #fileOf(name: string): string {
    return join(this.#options.folder, createHash('sha256').update(name).digest('hex'));
  }
}

export class NoObjectError extends Error {
  override name = 'NoObjectError';
}

function pathAt(index: number): string {
  const folder = String(Math.floor(index / aFolder)).padStart(5, '0');
  return `season-${folder}/chair-${String(index).padStart(8, '0')}.glb`;
}

function modelName(index: number): string {
  return `${modelsFolder}${pathAt(index)}`;
}

function modelAt(index: number): StoredObject {
  const etag = createHash('md5').update(String(index)).digest('hex');
  return { name: modelName(index), bytes: 10_000 + index, mtimeMs: 1_000_000, etag };
}

/**
 * Returns the record of a model. Records sort in the order of the models, because the names of both contain the index.
 */
function recordAt(index: number, { folder, recipe }: { folder: string; recipe: string }) {
  const path = pathAt(index);
  const { version } = sourceOf({ ...modelAt(index), path });
  const name = `${folder}/${recordName(path.replace('.glb', ''), version, recipe)}`;
  return { name, bytes: 1_000, mtimeMs: 1_000_000, etag: 'r' };
}

/** Returns the index of the first object after a name. */
function firstBehind(startAfter: string, names: number, nameAt: (index: number) => string): number {
  if (startAfter === '') return 0;
  let [low, high] = [0, names];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (compareNames(nameAt(middle), startAfter) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
