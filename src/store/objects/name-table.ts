// Stores very many names in few bytes each, and finds them by a part of the name. In a Map, a million names as strings
// take about 250 MB. The table keeps each name as its difference from the previous name.

const namesPerBlock = 16;
const chunkBytes = 1 << 20;
/** Bytes before each name: one each for the length of the shared start and end, two for the length of the rest. */
const headBytes = 4;
const maxSharedLength = 255;
/** Maximum length in bytes. Real keys and object names are far shorter. */
const maxNameLength = 8_192;
/** Minimum number of hash table slots for each name. */
const minSlotsPerName = 1.5;

export class NameTable {
  readonly #keyOf: (name: string) => string;
  readonly #chunks: Buffer[] = [];
  #usedBytes = chunkBytes;
  #blocks = new Uint32Array(1_024);
  /** Names of the block that is not full yet. */
  #openNames: string[] = [];
  #size = 0;
  /** The last block that was read, because lookups in the order of the names hit one block many times. */
  #last: { block: number; names: readonly string[] } | null = null;
  /** Hash table: the hash of the key in each slot. */
  #tags = new Uint32Array(1_024);
  /** The number of the name in the same slot, counted from 1. Zero if the slot is free. */
  #numbers = new Uint32Array(1_024);

  /** @param keyOf the part of a name by which the name is found */
  constructor(keyOf: (name: string) => string = (name) => name) {
    this.#keyOf = keyOf;
  }

  /** Adds a name, even if a name with the same key exists. */
  add(name: string): void {
    if (3 * name.length > maxNameLength) throw new RangeError('the name is too long');
    if (this.#size * minSlotsPerName >= this.#tags.length) this.#grow();
    this.#openNames.push(name);
    this.#size += 1;
    this.#insert(hashFnv1a(this.#keyOf(name)), this.#size);
    if (this.#openNames.length === namesPerBlock) this.#close();
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
    for (let block = 0; block * namesPerBlock < this.#size; block += 1) yield* this.#block(block);
  }

  #nameAt(index: number): string {
    const block = Math.floor(index / namesPerBlock);
    const offset = index % namesPerBlock;
    return this.#block(block)[offset] ?? '';
  }

  #block(block: number): readonly string[] {
    const isOpen = block * namesPerBlock >= this.#size - this.#openNames.length;
    if (isOpen) return this.#openNames;
    if (this.#last?.block === block) return this.#last.names;
    const start = this.#blocks[block] ?? 0;
    const chunk = this.#chunks[Math.floor(start / chunkBytes)] ?? Buffer.alloc(0);
    const names = unpack(chunk, start % chunkBytes);
    this.#last = { block, names };
    return names;
  }

  #close(): void {
    const packed = pack(this.#openNames);
    if (this.#usedBytes + packed.length > chunkBytes) {
      this.#chunks.push(Buffer.allocUnsafeSlow(chunkBytes));
      this.#usedBytes = 0;
    }
    const chunk = this.#chunks.length - 1;
    const block = this.#size / namesPerBlock - 1;
    if (block >= this.#blocks.length) this.#blocks = doubleArray(this.#blocks);
    this.#blocks[block] = chunk * chunkBytes + this.#usedBytes;
    this.#chunks[chunk]?.set(packed, this.#usedBytes);
    this.#usedBytes += packed.length;
    this.#openNames = [];
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
    for (let slot = 0; slot < numbers.length; slot += 1) {
      const number = numbers[slot] ?? 0;
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

/** Bytes of the current and of the previous name. Shared by all calls, which is safe because no call awaits. */
let name = Buffer.allocUnsafeSlow(maxNameLength);
let previousName = Buffer.allocUnsafeSlow(maxNameLength);
const block = Buffer.allocUnsafeSlow(namesPerBlock * (headBytes + maxNameLength));

/** Packs a name as the bytes that differ from the name before. The result is valid until the next call. */
function pack(names: readonly string[]): Buffer {
  let usedBytes = 0;
  let lengthBefore = 0;
  for (const text of names) {
    const length = name.write(text);
    const maxShared = Math.min(length, lengthBefore);
    const start = countSharedStart(Math.min(maxShared, maxSharedLength));
    const end = countSharedEnd(length, lengthBefore, Math.min(maxShared - start, maxSharedLength));
    block.writeUInt8(start, usedBytes);
    block.writeUInt8(end, usedBytes + 1);
    block.writeUInt16LE(length - start - end, usedBytes + 2);
    usedBytes += headBytes;
    usedBytes += name.copy(block, usedBytes, start, length - end);
    [name, previousName] = [previousName, name];
    lengthBefore = length;
  }
  return block.subarray(0, usedBytes);
}

function countSharedStart(maxLength: number): number {
  let count = 0;
  while (count < maxLength && name[count] === previousName[count]) count += 1;
  return count;
}

function countSharedEnd(length: number, lengthBefore: number, maxLength: number): number {
  let count = 0;
  while (count < maxLength && name[length - 1 - count] === previousName[lengthBefore - 1 - count]) {
    count += 1;
  }
  return count;
}

function unpack(chunk: Buffer, offset: number): string[] {
  const names: string[] = [];
  let position = offset;
  let length = 0;
  while (names.length < namesPerBlock) {
    const start = chunk.readUInt8(position);
    const end = chunk.readUInt8(position + 1);
    const middle = chunk.readUInt16LE(position + 2);
    position += headBytes;
    name.copyWithin(start + middle, length - end, length);
    chunk.copy(name, start, position, position + middle);
    position += middle;
    length = start + middle + end;
    names.push(name.toString('utf8', 0, length));
  }
  return names;
}
