// An in-memory object store, for the part of a connector that all vendors share.
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type Bucket, type StoredObject, sendFile } from '../../src/connectors/bucket/bucket.ts';
import type { Diagnosis, StoreErrorKind } from '../../src/connectors/bucket/store-errors.ts';
import { compareNames } from '../../src/connectors/disk/name-order.ts';

/** An error like that of a vendor's client. */
export class StoreTrouble extends Error {
  readonly trouble: StoreErrorKind;

  constructor(trouble: StoreErrorKind) {
    super(trouble);
    this.trouble = trouble;
  }
}

export function diagnose(error: unknown): Diagnosis | null {
  return error instanceof StoreTrouble ? { errorKind: error.trouble, code: 'MemoryCode' } : null;
}

interface Stored {
  bytes: Uint8Array;
  object: StoredObject;
}

/** Number of objects per page of a listing. */
const pageSize = 3;

export class StoreInMemory implements Bucket {
  readonly objects = new Map<string, Stored>();
  /** Error that all operations throw. */
  trouble: Error | null = null;
  /** Number of bytes that are missing at the end of responses. */
  cutShort = 0;
  /** Bodies that were returned. */
  readonly bodies: Readable[] = [];
  #versions = 0;

  async *list(prefix: string): AsyncGenerator<StoredObject[]> {
    this.#mayThrow();
    const found = [...this.objects.values()]
      .flatMap(({ object }) => (object.name.startsWith(prefix) ? object : []))
      .sort((one, other) => compareNames(one.name, other.name));
    for (let at = 0; at < found.length; at += pageSize) yield found.slice(at, at + pageSize);
  }

  async head(name: string): Promise<StoredObject | null> {
    this.#mayThrow();
    return this.objects.get(name)?.object ?? null;
  }

  async get(name: string, range: { offset: number; length: number } | null) {
    this.#mayThrow();
    const stored = this.objects.get(name);
    if (!stored) throw new StoreTrouble('no-object');
    const { offset, length } = range ?? { offset: 0, length: stored.bytes.length };
    const bytes = stored.bytes.subarray(offset, offset + length);
    const body = Readable.from([bytes.subarray(0, bytes.length - this.cutShort)]);
    this.bodies.push(body);
    return { object: stored.object, body };
  }

  async put(name: string, bytes: Uint8Array, ifAbsent: boolean): Promise<'written' | 'exists'> {
    this.#mayThrow();
    if (ifAbsent && this.objects.has(name)) return 'exists';
    this.#versions += 1;
    const etag = `"${this.#versions}"`;
    const object = { name, bytes: bytes.length, mtimeMs: 1_000 * this.#versions, etag };
    this.objects.set(name, { bytes: Uint8Array.from(bytes), object });
    return 'written';
  }

  putFile: Bucket['putFile'] = (name, file, options) =>
    sendFile(file, options, async ({ stream }) => {
      const bytes = await buffer(stream());
      await this.put(name, bytes.subarray(0, bytes.length - this.cutShort), false);
    });

  async remove(name: string): Promise<void> {
    this.#mayThrow();
    this.objects.delete(name);
  }

  #mayThrow(): void {
    if (this.trouble) throw this.trouble;
  }
}
