// Stores very many names in few bytes each, and finds them by a part of the name. In a Map, a million names as strings
// take about 250 MB.

const chunkBytes = 1 << 20;
/** Bytes before each name, for its length. */
const headBytes = 2;
/** Minimum number of hash table slots for each name. */
const minSlotsPerName = 1.5;

export class NameTable {
  readonly #keyOf: (name: string) => string;
  readonly #chunks: Buffer[] = [];
  #usedBytes = chunkBytes;
  /** Position of each name in all chunks, in the order in which the names were added. */
  #positions = new Uint32Array(1_024);
  #size = 0;
  /** Hash table: the hash of the key in each slot. */
  #tags = new Uint32Array(1_024);
  /** The number of the name in the same slot, counted from 1. Zero if the slot is free. */
  #numbers = new Uint32Array(1_024);

  /** @param keyOf the part of a name by which the name is found */
  constructor(keyOf: (name: string) => string = (name) => name) {
    this.#keyOf = keyOf;
  }

  /** Adds a name, even if a name with the same key exists. @throws RangeError if it takes more than 64 KiB */
  add(name: string): void {
    if (this.#size === this.#positions.length) this.#positions = doubleArray(this.#positions);
    this.#positions[this.#size] = this.#store(name);
    this.#size += 1;
    if (this.#size * minSlotsPerName > this.#tags.length) this.#grow();
    this.#insert(hashFnv1a(this.#keyOf(name)), this.#size);
  }

  has(key: string): boolean {
    return this.find(key) !== null;
  }

  /** Returns the first name that was added with this key, or null if there is none. */
  find(key: string): string | null {
    const tag = hashFnv1a(key);
    const mask = this.#tags.length - 1;
    for (let slot = tag & mask; ; slot = (slot + 1) & mask) {
      const number = this.#numbers[slot] ?? 0;
      if (number === 0) return null;
      if (this.#tags[slot] !== tag) continue;
      const name = this.#nameAt(number - 1);
      if (this.#keyOf(name) === key) return name;
    }
  }

  /** Yields all names in the order in which they were added. */
  *names(): Generator<string> {
    for (let index = 0; index < this.#size; index += 1) yield this.#nameAt(index);
  }

  #nameAt(index: number): string {
    const position = this.#positions[index] ?? 0;
    const chunk = this.#chunks[Math.floor(position / chunkBytes)] ?? Buffer.alloc(headBytes);
    const start = (position % chunkBytes) + headBytes;
    return chunk.toString('utf8', start, start + chunk.readUInt16LE(start - headBytes));
  }

  /** Returns the position of the stored name. */
  #store(name: string): number {
    const bytes = Buffer.byteLength(name);
    if (this.#usedBytes + headBytes + bytes > chunkBytes) {
      this.#chunks.push(Buffer.allocUnsafeSlow(chunkBytes));
      this.#usedBytes = 0;
    }
    const start = this.#usedBytes;
    const chunk = this.#chunks.at(-1);
    chunk?.writeUInt16LE(bytes, start);
    chunk?.write(name, start + headBytes);
    this.#usedBytes += headBytes + bytes;
    return (this.#chunks.length - 1) * chunkBytes + start;
  }

  #insert(tag: number, number: number): void {
    const mask = this.#tags.length - 1;
    let slot = tag & mask;
    while (this.#numbers[slot] !== 0) slot = (slot + 1) & mask;
    this.#tags[slot] = tag;
    this.#numbers[slot] = number;
  }

  #grow(): void {
    const [tags, numbers] = [this.#tags, this.#numbers];
    this.#tags = new Uint32Array(2 * tags.length);
    this.#numbers = new Uint32Array(2 * tags.length);
    for (const [slot, number] of numbers.entries()) {
      if (number !== 0) this.#insert(tags[slot] ?? 0, number);
    }
  }
}

/** Computes a 32-bit FNV-1a hash. Names with equal hashes are compared as text. */
function hashFnv1a(text: string): number {
  let hash = 0x811c9dc5;
  for (let position = 0; position < text.length; position += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(position), 0x01000193);
  }
  return hash >>> 0;
}

function doubleArray(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const copy = new Uint32Array(2 * array.length);
  copy.set(array);
  return copy;
}
