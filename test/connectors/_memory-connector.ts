// An in-memory connector without local paths: shows that the interface needs none, and lets tests order the
// operations of several runs.
import { appendFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  Connector,
  Entry,
  ListOptions,
  OpenFile,
  Part,
  StagedFile,
  WriteOptions,
} from '../../src/connectors/connector.ts';
import { ConnectorError } from '../../src/connectors/connector-error.ts';
import { compareNames } from '../../src/connectors/disk/name-order.ts';
import { pathPartsOf } from '../../src/connectors/safe-path.ts';

interface Stored {
  bytes: Buffer;
  mtimeMs: number;
}

/** The content of a bucket. Several connectors may share one bucket. */
export class MemoryBucket {
  readonly files = new Map<string, Stored>();
  exists = true;
}

export class MemoryConnector implements Connector {
  readonly bucket: MemoryBucket;
  readonly #before: (operation: string, path: string) => Promise<void>;

  /** Awaits `before` in front of each operation, which then takes effect at once. */
  constructor(
    bucket = new MemoryBucket(),
    before: (operation: string, path: string) => Promise<void> = async () => undefined,
  ) {
    this.bucket = bucket;
    this.#before = before;
  }

  describe(): string {
    return 'memory';
  }

  #assertExists(): void {
    if (this.bucket.exists) return;
    throw new ConnectorError('FOLDER_NOT_FOUND', '', 'memory is not there', 'make it');
  }

  async *list(prefix = '', { signal, accept, after }: ListOptions = {}): AsyncGenerator<Entry> {
    if (prefix !== '') pathPartsOf(prefix);
    await this.#before('list', prefix);
    this.#assertExists();
    const start = prefix === '' ? '' : `${prefix}/`;
    const files = [...this.bucket.files];
    if (after !== undefined) files.sort(([one], [other]) => compareNames(one, other));
    for (const [path, { bytes, mtimeMs }] of files) {
      if (after !== undefined && after !== '' && compareNames(path, after) <= 0) continue;
      signal?.throwIfAborted();
      if (!path.startsWith(start)) continue;
      if (
        path
          .slice(start.length)
          .split('/')
          .some((part) => part.startsWith('.'))
      )
        continue;
      if (accept?.(path) ?? true) yield { path, bytes: bytes.length, mtimeMs };
    }
  }

  async *names(prefix = '', options: ListOptions = {}): AsyncGenerator<string> {
    for await (const { path } of this.list(prefix, options)) yield path;
  }

  async stat(path: string): Promise<Entry | null> {
    pathPartsOf(path);
    await this.#before('stat', path);
    this.#assertExists();
    const file = this.bucket.files.get(path);
    return file ? { path, bytes: file.bytes.length, mtimeMs: file.mtimeMs } : null;
  }

  async read(path: string, maxBytes = 1 << 24): Promise<Buffer> {
    pathPartsOf(path);
    await this.#before('read', path);
    this.#assertExists();
    const file = this.bucket.files.get(path);
    if (!file) throw new ConnectorError('FILE_GONE', path, `${path} is not there`, 'put it back');
    if (file.bytes.length <= maxBytes) return file.bytes;
    throw new ConnectorError('TOO_LARGE', path, `${path} is too large`, 'check it');
  }

  async open(path: string): Promise<OpenFile> {
    const bytes = await this.read(path);
    const entry = await this.stat(path);
    if (!entry) throw new Error(`${path} went away`);
    return {
      entry,
      content: async () => bytes,
      isUnchanged: async () => true,
      close: async () => undefined,
    };
  }

  async readPart(path: string, offset: number, length: number): Promise<Part> {
    const bytes = await this.read(path);
    const entry = await this.stat(path);
    if (!entry) throw new Error(`${path} went away`);
    return { entry, bytes: bytes.subarray(offset, offset + length) };
  }

  async write(path: string, bytes: Uint8Array, { ifAbsent }: WriteOptions = {}) {
    pathPartsOf(path);
    await this.#before(ifAbsent ? 'create' : 'write', path);
    this.bucket.exists = true;
    if (ifAbsent && this.bucket.files.has(path)) return 'exists' as const;
    this.bucket.files.set(path, { bytes: Buffer.from(bytes), mtimeMs: Date.now() });
    return 'written' as const;
  }

  async stage(path: string): Promise<StagedFile> {
    pathPartsOf(path);
    const folder = await mkdtemp(join(tmpdir(), 'renderline-test-'));
    const file = join(folder, 'staged');
    const discard = () => rm(folder, { recursive: true, force: true });
    const commit = async () => {
      await this.write(path, await readFile(file));
      await discard();
      const entry = await this.stat(path);
      if (!entry) throw new Error(`${path} was not committed`);
      return entry;
    };
    return { file, write: (chunk) => appendFile(file, chunk), commit, discard };
  }

  async remove(path: string): Promise<void> {
    pathPartsOf(path);
    await this.#before('remove', path);
    this.bucket.files.delete(path);
  }
}
