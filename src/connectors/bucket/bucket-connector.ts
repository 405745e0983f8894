// The connector for object stores of all vendors. Its folder is a prefix in a bucket.
import { addAbortSignal, Readable } from 'node:stream';
import { readBoundedBody } from '../../api/network/read-bounded-body.ts';
import type {
  Connector,
  Entry,
  ListOptions,
  OpenFile,
  Part,
  StagedFile,
  WriteOptions,
} from '../connector.ts';
import {
  ConnectorError,
  defaultMaxReadBytes,
  type FileAction,
  tooLargeError,
} from '../connector-error.ts';
import { isNameAtOrBefore } from '../disk/name-order.ts';
import { pathPartsOf } from '../safe-path.ts';
import { stageLocally } from '../staging.ts';
import type { Bucket, StoredObject } from './bucket.ts';
import { transferMs } from './request-times.ts';
import { readPieces } from './stall.ts';
import {
  CutShortError,
  createBucketError,
  createListingError,
  type Diagnosis,
  type StoreTerms,
} from './store-errors.ts';

/** Maximum number of consecutive pages without objects. A store may return a few where objects were deleted. */
const maxEmptyPages = 200;

export interface BucketOptions {
  /** Description for people, without secrets. */
  description: string;
  /** Folder in the bucket. Empty for the whole bucket. */
  prefix: string;
  terms: StoreTerms;
  /** Loads the vendor's client. Called at the first use, and again only after a failure. */
  open: () => Promise<Bucket>;
  /** Classifies an error of the vendor's client. Returns null for any other error. */
  diagnose: (error: unknown) => Diagnosis | null;
}

export class BucketConnector implements Connector {
  readonly #options: BucketOptions;
  readonly #root: string;
  #bucket: Promise<Bucket> | undefined;

  constructor(options: BucketOptions) {
    this.#options = options;
    const prefix = options.prefix.replaceAll(/^\/+|\/+$/g, '');
    this.#root = prefix === '' ? '' : `${prefix}/`;
  }

  describe(): string {
    return this.#options.description;
  }

  async *list(
    prefix = '',
    { signal, accept, after = '' }: ListOptions = {},
  ): AsyncGenerator<Entry> {
    const start = prefix === '' ? this.#root : `${this.#nameOf(prefix)}/`;
    const cursor = after === '' ? undefined : this.#root + after;
    signal?.throwIfAborted();
    try {
      const bucket = await this.#open();
      let isBeyond = false;
      let firstName: string | undefined;
      let emptyPages = 0;
      for await (const page of bucket.list(start, signal, cursor)) {
        const [first] = page;
        emptyPages = first === undefined ? emptyPages + 1 : 0;
        // A store that ignores where a page begins would never end its listing.
        if (emptyPages > maxEmptyPages || (first !== undefined && first.name === firstName))
          throw createListingError(
            `${this.describe()} returns the same page of the listing repeatedly (${first ? `it begins with "${first.name}"` : 'it has no objects'})`,
          );
        firstName = first?.name ?? firstName;
        for (const object of page) {
          if (!isListedFile(object, start)) continue;
          const entry = this.#entryOf(object);
          // The store's listing may start before the cursor or at it. A name that sorts before the cursor but is listed
          // after it is returned, so that the caller detects the wrong order. Azure with a hierarchical namespace, for
          // example, lists `a/b` before `a-b`.
          const isBefore = !isBeyond && isNameAtOrBefore(entry.path, after);
          isBeyond ||= isNameAtOrBefore(after, entry.path);
          if (isBefore || entry.path === after) continue;
          if (accept?.(entry.path) ?? true) yield entry;
        }
        signal?.throwIfAborted();
      }
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#toConnectorError(error, 'read', '');
    }
  }

  async *names(prefix = '', options: ListOptions = {}): AsyncGenerator<string> {
    for await (const { path } of this.list(prefix, options)) yield path;
  }

  async stat(path: string): Promise<Entry | null> {
    const name = this.#nameOf(path);
    const object = await this.#attempt('read', path, (bucket) => bucket.head(name));
    return object && this.#entryOf(object);
  }

  async read(path: string, maxBytes = defaultMaxReadBytes): Promise<Buffer> {
    const name = this.#nameOf(path);
    return this.#attempt('read', path, async (bucket) => {
      const { object, body } = await bucket.get(name, null, undefined);
      if (object.bytes <= maxBytes) return readWhole(body, object.bytes);
      destroyBody(body);
      throw tooLargeError(path, object.bytes, maxBytes);
    });
  }

  async open(path: string, signal?: AbortSignal): Promise<OpenFile> {
    const name = this.#nameOf(path);
    const { object, body } = await this.#attempt('read', path, (bucket) =>
      bucket.get(name, null, signal),
    );
    // The reader also gets the error. Without a listener, the error would end the process.
    body.on('error', () => undefined);
    limitReadTime(body, object.bytes);
    return {
      entry: this.#entryOf(object),
      content: async () => Readable.from(this.#chunks(body, path), { objectMode: false }),
      // The result is always true, because a response of the store always contains a single version.
      isUnchanged: async () => true,
      close: async () => destroyBody(body),
    };
  }

  async readPart(
    path: string,
    offset: number,
    length: number,
    signal?: AbortSignal,
  ): Promise<Part> {
    const name = this.#nameOf(path);
    return this.#attempt('read', path, async (bucket) => {
      const { object, body } = await bucket.get(name, { offset, length }, signal);
      const expectedBytes = Math.max(0, Math.min(length, object.bytes - offset));
      return { entry: this.#entryOf(object), bytes: await readWhole(body, expectedBytes) };
    });
  }

  async write(path: string, bytes: Uint8Array, { ifAbsent = false }: WriteOptions = {}) {
    const name = this.#nameOf(path);
    return this.#attempt('write', path, (bucket) =>
      bucket.put(name, bytes, ifAbsent).catch((error: unknown) => {
        const isUnknown = this.#options.diagnose(error)?.errorKind === 'unsupported';
        throw ifAbsent && isUnknown ? noConditionalWritesError(path, this.describe()) : error;
      }),
    );
  }

  async stage(path: string): Promise<StagedFile> {
    const name = this.#nameOf(path);
    return stageLocally(path, (file, options) =>
      this.#attempt('write', path, async (bucket) => {
        await bucket.putFile(name, file, options);
        const object = await bucket.head(name);
        return object ? this.#entryOf(object) : { path, bytes: 0, mtimeMs: 0 };
      }),
    );
  }

  async remove(path: string): Promise<void> {
    const name = this.#nameOf(path);
    await this.#attempt('write', path, (bucket) => bucket.remove(name));
  }

  async *#chunks(body: Readable, path: string): AsyncGenerator<Uint8Array> {
    try {
      yield* readPieces(body);
    } catch (error) {
      throw this.#toConnectorError(error, 'read', path);
    }
  }

  #nameOf(path: string): string {
    return this.#root + pathPartsOf(path).join('/');
  }

  #entryOf({ name, bytes, mtimeMs, etag }: StoredObject): Entry {
    const path = name.slice(this.#root.length);
    if (!Number.isSafeInteger(bytes) || bytes < 0)
      throw createListingError(`${this.describe()} does not report a valid size for "${path}"`);
    // A time that cannot be parsed is unknown, like one that the store does not state.
    return { path, bytes, mtimeMs: Number.isNaN(mtimeMs) ? 0 : mtimeMs, etag };
  }

  #open(): Promise<Bucket> {
    // A failure to load the client is not cached, because a connector lives as long as its worker.
    this.#bucket ??= this.#options.open().catch((error: unknown) => {
      this.#bucket = undefined;
      throw error;
    });
    return this.#bucket;
  }

  async #attempt<T>(
    action: FileAction,
    path: string,
    task: (bucket: Bucket) => Promise<T>,
  ): Promise<T> {
    try {
      return await task(await this.#open());
    } catch (error) {
      throw this.#toConnectorError(error, action, path);
    }
  }

  #toConnectorError(error: unknown, action: FileAction, path: string): unknown {
    if (error instanceof ConnectorError) return error;
    const { diagnose, terms } = this.#options;
    const diagnosis = diagnose(error);
    return diagnosis === null
      ? error
      : createBucketError(diagnosis, action, path, this.describe(), terms);
  }
}

/** Creates the error for a store without conditional writes. Of several writers of a record, only one must succeed. */
function noConditionalWritesError(path: string, location: string): ConnectorError {
  return new ConnectorError(
    'STORE_UNSUITABLE',
    path,
    `cannot hold records in ${location}: the store does not support conditional creates (If-None-Match)`,
    'choose another connector for the records under `records:`, then run again',
  );
}

/**
 * False for hidden names, for names with a trailing slash, because consoles create such empty objects as folders, and
 * for names outside the prefix `start`, which a store may ignore.
 */
function isListedFile({ name }: StoredObject, start: string): boolean {
  return (
    name.startsWith(start) && !name.endsWith('/') && !/(^|\/)\./.test(name.slice(start.length))
  );
}

function destroyBody(body: Readable): void {
  body.on('error', () => undefined).destroy();
}

function limitReadTime(body: Readable, bytes: number): void {
  addAbortSignal(AbortSignal.timeout(transferMs(bytes)), body);
}

async function readWhole(body: Readable, bytes: number): Promise<Buffer> {
  limitReadTime(body, bytes);
  const content = await readBoundedBody(body, bytes);
  if (content?.length === bytes) return content;
  const received = content === null ? `more than ${bytes}` : `${content.length} of ${bytes}`;
  throw new CutShortError(`received ${received} bytes`);
}
