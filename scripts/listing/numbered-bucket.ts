// A simulated bucket with any number of models, which are generated from their index, so that they take no memory in
// the measured process. Contents of written objects go to a folder.
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
  /** Folder of written objects. */
  folder: string;
  /** Folder of the records, and the recipe of the run that has delivered everything; null before such a run. */
  delivered: { folder: string; recipe: string } | null;
}

export class NumberedBucket implements Bucket {
  readonly #options: NumberedOptions;
  readonly #written = new Map<string, StoredObject>();
  readonly requests = { list: 0, head: 0, get: 0, put: 0 };

  constructor(options: NumberedOptions) {
    this.#options = options;
  }

  async *list(
    prefix: string,
    _signal: AbortSignal | undefined,
    after = '',
  ): AsyncGenerator<StoredObject[]> {
    const { names, delivered } = this.#options;
    if (prefix === modelsFolder) {
      yield* this.#pages(firstBehind(after, names, modelName), names, modelAt);
    } else if (delivered && prefix === `${delivered.folder}/`) {
      const nameOfRecord = (at: number) => recordAt(at, delivered).name;
      yield* this.#pages(firstBehind(after, names, nameOfRecord), names, (at) =>
        recordAt(at, delivered),
      );
    } else {
      this.requests.list += 1;
      const found = [...this.#written.values()].filter(({ name }) => name.startsWith(prefix));
      yield found.sort((one, other) => compareNames(one.name, other.name));
    }
  }

  async head(name: string): Promise<StoredObject | null> {
    this.requests.head += 1;
    return this.#written.get(name) ?? null;
  }

  async get(name: string, range: ByteRange | null) {
    this.requests.get += 1;
    const object = this.#written.get(name);
    if (!object) throw new NoObjectError(name);
    const bytes = await readFile(this.#fileOf(name));
    const { offset, length } = range ?? { offset: 0, length: bytes.length };
    return { object, body: Readable.from([bytes.subarray(offset, offset + length)]) };
  }

  async put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'> {
    this.requests.put += 1;
    if (ifAbsent && this.#written.has(name)) return 'exists';
    const etag = createHash('md5').update(bytes).digest('hex');
    this.#written.set(name, { name, bytes: bytes.length, mtimeMs: Date.now(), etag });
    await writeFile(this.#fileOf(name), bytes);
    return 'written';
  }

  putFile(): Promise<void> {
    throw new TypeError('no files are sent here');
  }

  async remove(name: string): Promise<void> {
    this.#written.delete(name);
    await rm(this.#fileOf(name), { force: true });
  }

  async *#pages(from: number, to: number, objectAt: (at: number) => StoredObject) {
    for (let start = from; start < to; start += pageSize) {
      this.requests.list += 1;
      const count = Math.min(pageSize, to - start);
      // Asynchronous, like a response from a network, so that other requests may overtake it.
      await new Promise((done) => setImmediate(done));
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

function pathAt(at: number): string {
  const folder = String(Math.floor(at / aFolder)).padStart(5, '0');
  return `season-${folder}/chair-${String(at).padStart(8, '0')}.glb`;
}

function modelName(at: number): string {
  return `${modelsFolder}${pathAt(at)}`;
}

function modelAt(at: number): StoredObject {
  const etag = createHash('md5').update(String(at)).digest('hex');
  return { name: modelName(at), bytes: 10_000 + at, mtimeMs: 1_000_000, etag };
}

/** The record of a model. Names of records are in the order of the models, since both names contain the index. */
function recordAt(at: number, { folder, recipe }: { folder: string; recipe: string }) {
  const path = pathAt(at);
  const { version } = sourceOf({ ...modelAt(at), path });
  const name = `${folder}/${recordName(path.replace('.glb', ''), version, recipe)}`;
  return { name, bytes: 1_000, mtimeMs: 1_000_000, etag: 'r' };
}

/** Index of the first object after a name. */
function firstBehind(after: string, names: number, nameAt: (at: number) => string): number {
  if (after === '') return 0;
  let [low, high] = [0, names];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (compareNames(nameAt(middle), after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
