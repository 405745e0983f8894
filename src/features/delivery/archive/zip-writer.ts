// Writes a zip piece by piece and keeps only the list of its entries in memory. Every entry is deflated, even at level
// 0, because programs that read a zip as a stream refuse a stored entry whose size follows its content. ZIP64 is used
// only if needed, from 65,535 entries or four gigabytes.
import { once } from 'node:events';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipEntry {
  /** Path in the zip, with forward slashes. */
  name: string;
  /** Size of the content in bytes. It decides whether the entry needs ZIP64. */
  bytes: number;
  /** Milliseconds since the epoch. */
  modifiedAtMs: number;
  /** Compression level: 0 is none, 1 is fast and 9 is small. */
  level: number;
}

type Write = (bytes: Uint8Array) => Promise<void>;

const [localHead, descriptorHead, centralHead] = [0x04034b50, 0x08074b50, 0x02014b50];
const [end64Head, locator64Head, endHead] = [0x06064b50, 0x07064b50, 0x06054b50];
/** Flags for UTF-8 names, and for sizes and a checksum after the content. */
const flags = 0x0808;
const deflated = 8;
const [plainVersion, version64] = [20, 45];
/** Created on Unix, with version 6.3 of the format. */
const madeBy = (3 << 8) | 63;
/** Attributes of a regular file that everybody may read. */
const attributes = (0o100644 << 16) >>> 0;
const [max16, max32] = [0xffff, 0xffffffff];
/** Entries up to this size need no ZIP64. The margin is for content that becomes larger when it is deflated. */
const maxPlainBytes = max32 - 2 ** 21;

export class ZipWriter {
  readonly #write: Write;
  readonly #central: Buffer[] = [];
  #offset = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  /** Starts an entry. The previous entry must have ended. */
  async open(entry: ZipEntry): Promise<ZipEntryWriter> {
    const offset = this.#offset;
    const isLarge = entry.bytes > maxPlainBytes;
    const time = createTimeFields(entry.modifiedAtMs);
    const name = Buffer.from(entry.name);
    // A ZIP64 field before the content announces that the sizes after the content are eight bytes long.
    const extra = Buffer.concat([isLarge ? createField64([0, 0]) : Buffer.alloc(0), time.extra]);
    const size = isLarge ? max32 : 0;
    await this.#put(
      packNumbers(
        [localHead, 4],
        [isLarge ? version64 : plainVersion, 2],
        [flags, 2],
        [deflated, 2],
      ),
      time.dos,
      packNumbers([0, 4], [size, 4], [size, 4], [name.length, 2], [extra.length, 2]),
      name,
      extra,
    );
    const finish = async (measured: MeasuredEntry) => {
      const { crc, packed, bytes } = measured;
      if (bytes > maxPlainBytes && !isLarge) {
        throw new Error(`${entry.name} has ${bytes} bytes instead of ${entry.bytes}`);
      }
      const width = isLarge ? 8 : 4;
      await this.#put(packNumbers([descriptorHead, 4], [crc, 4], [packed, width], [bytes, width]));
      this.#central.push(createCentralRecord(name, measured, offset, time));
    };
    return new ZipEntryWriter(entry.level, (bytes) => this.#put(bytes), finish);
  }

  /** Writes the central directory. */
  async end(): Promise<void> {
    const offset = this.#offset;
    for (const record of this.#central) await this.#put(record);
    const [count, bytes] = [this.#central.length, this.#offset - offset];
    if (count >= max16 || bytes >= max32 || offset >= max32) {
      const at64 = this.#offset;
      await this.#put(
        packNumbers([end64Head, 4], [44, 8], [madeBy, 2], [version64, 2], [0, 4], [0, 4]),
        packNumbers([count, 8], [count, 8], [bytes, 8], [offset, 8]),
        packNumbers([locator64Head, 4], [0, 4], [at64, 8], [1, 4]),
      );
    }
    const cappedCount = Math.min(count, max16);
    await this.#put(
      packNumbers([endHead, 4], [0, 2], [0, 2], [cappedCount, 2], [cappedCount, 2]),
      packNumbers([Math.min(bytes, max32), 4], [Math.min(offset, max32), 4], [0, 2]),
    );
  }

  async #put(...parts: readonly Uint8Array[]): Promise<void> {
    const bytes = parts.length === 1 ? parts[0] : Buffer.concat(parts);
    if (bytes === undefined || bytes.length === 0) return;
    this.#offset += bytes.length;
    await this.#write(bytes);
  }
}

interface MeasuredEntry {
  crc: number;
  packed: number;
  bytes: number;
}

/** Compresses the content of one entry. */
export class ZipEntryWriter {
  readonly #deflate;
  readonly #write: Write;
  readonly #finish: (measured: MeasuredEntry) => Promise<void>;
  #packedChunks: Uint8Array[] = [];
  #measuredEntry: MeasuredEntry = { crc: 0, packed: 0, bytes: 0 };

  constructor(level: number, write: Write, finish: (measured: MeasuredEntry) => Promise<void>) {
    this.#write = write;
    this.#finish = finish;
    this.#deflate = createDeflateRaw({ level });
    this.#deflate.on('data', (packed: Buffer) => this.#packedChunks.push(packed));
  }

  async write(bytes: Uint8Array): Promise<void> {
    const measuredEntry = this.#measuredEntry;
    measuredEntry.crc = crc32(bytes, measuredEntry.crc);
    measuredEntry.bytes += bytes.length;
    await new Promise<void>((resolve, reject) => {
      this.#deflate.write(bytes, (error) => (error ? reject(error) : resolve()));
    });
    await this.#flush();
  }

  async end(): Promise<void> {
    const endEvent = once(this.#deflate, 'end');
    this.#deflate.end();
    await endEvent;
    await this.#flush();
    await this.#finish(this.#measuredEntry);
  }

  /** Frees the compressor of an entry that will not be ended. */
  discard(): void {
    this.#deflate.destroy();
  }

  async #flush(): Promise<void> {
    const chunks = this.#packedChunks;
    this.#packedChunks = [];
    for (const packed of chunks) {
      this.#measuredEntry.packed += packed.length;
      await this.#write(packed);
    }
  }
}

function createCentralRecord(
  name: Buffer,
  { crc, packed, bytes }: MeasuredEntry,
  offset: number,
  time: ReturnType<typeof createTimeFields>,
): Buffer {
  const largeValues = [bytes, packed, offset].filter((value) => value >= max32);
  const sizes64 = largeValues.length > 0 ? [createField64(largeValues)] : [];
  const extra = Buffer.concat([...sizes64, time.extra]);
  const sizeField = (value: number): [number, number] => [Math.min(value, max32), 4];
  const version = largeValues.length > 0 ? version64 : plainVersion;
  return Buffer.concat([
    packNumbers([centralHead, 4], [madeBy, 2], [version, 2], [flags, 2], [deflated, 2]),
    time.dos,
    packNumbers([crc, 4], sizeField(packed), sizeField(bytes), [name.length, 2], [extra.length, 2]),
    packNumbers([0, 2], [0, 2], [0, 2], [attributes, 4], sizeField(offset)),
    name,
    extra,
  ]);
}

function createField64(values: readonly number[]): Buffer {
  const fields = values.map((value): [number, number] => [value, 8]);
  return packNumbers([1, 2], [8 * values.length, 2], ...fields);
}

/** Encodes a time in the two forms of a zip: as a DOS time, here in UTC, and as seconds since the epoch. */
function createTimeFields(modifiedAtMs: number): { dos: Buffer; extra: Buffer } {
  const minAtMs = Date.UTC(1980, 0, 1);
  const date = new Date(Math.max(minAtMs, Number.isFinite(modifiedAtMs) ? modifiedAtMs : 0));
  const time =
    (date.getUTCHours() << 11) | (date.getUTCMinutes() << 5) | (date.getUTCSeconds() >> 1);
  const years = Math.min(127, date.getUTCFullYear() - 1980);
  const day = (years << 9) | ((date.getUTCMonth() + 1) << 5) | date.getUTCDate();
  const seconds = Math.min(0x7fffffff, Math.floor(date.getTime() / 1_000));
  return {
    dos: packNumbers([time, 2], [day, 2]),
    extra: packNumbers([0x5455, 2], [5, 2], [1, 1], [seconds, 4]),
  };
}

/** Encodes little-endian numbers, each with the given number of bytes. */
function packNumbers(...values: readonly [value: number, bytes: number][]): Buffer {
  const buffer = Buffer.alloc(values.reduce((sum, [, bytes]) => sum + bytes, 0));
  let offset = 0;
  for (const [value, bytes] of values) {
    if (bytes === 8) buffer.writeBigUInt64LE(BigInt(value), offset);
    else buffer.writeUIntLE(value, offset, bytes);
    offset += bytes;
  }
  return buffer;
}
