// Very many names in few bytes each, found by a part of them. As strings in a Map a million names take some 250 MB; here
// they are kept as bytes, each as what differs from the name before it.

const namesABlock = 16;
const chunkBytes = 1 << 20;
/** Shared beginning and end, in a byte each, and the length of what is between them. */
const headBytes = 4;
const longestShared = 255;
/** Slots of the table for each name, at least. */
const roomFor = 1.5;

export class NameTable {
  readonly #keyOf: (name: string) => string;
  readonly #chunks: Buffer[] = [];
  #used = chunkBytes;
  #blocks = new Uint32Array(1_024);
  /** Names of the block that is not full. */
  #open: string[] = [];
  #size = 0;
  /** Who asks in the order of the names finds many in one block. */
  #last: { block: number; names: readonly string[] } | null = null;
  /** Hashes of keys, and numbers of names from 1 on; 0 is a free slot. */
  #tags = new Uint32Array(1_024);
  #numbers = new Uint32Array(1_024);

  /** @param keyOf the part of a name by which it is found */
  constructor(keyOf: (name: string) => string = (name) => name) {
    this.#keyOf = keyOf;
  }

  get size(): number {
    return this.#size;
  }

  /** Adds a name, also where one of its key is there. */
  add(name: string): void {
    if (this.#size * roomFor >= this.#tags.length) this.#grow();
    this.#open.push(name);
    this.#size += 1;
    this.#place(hashOf(this.#keyOf(name)), this.#size);
    if (this.#open.length === namesABlock) this.#close();
  }

  has(key: string): boolean {
    return this.find(key) !== null;
  }

  /** The first name of this key that was added; null where there is none. */
  find(key: string): string | null {
    const tag = hashOf(key);
    const last = this.#tags.length - 1;
    for (let slot = tag & last; ; slot = (slot + 1) & last) {
      const number = this.#numbers[slot] ?? 0;
      if (number === 0) return null;
      if (this.#tags[slot] !== tag) continue;
      const name = this.#at(number - 1);
      if (this.#keyOf(name) === key) return name;
    }
  }

  /** All names in the order in which they were added. */
  *names(): Generator<string> {
    for (let block = 0; block * namesABlock < this.#size; block += 1) yield* this.#block(block);
  }

  #at(index: number): string {
    const block = Math.floor(index / namesABlock);
    const within = index % namesABlock;
    return this.#block(block)[within] ?? '';
  }

  #block(block: number): readonly string[] {
    const isOpen = block * namesABlock >= this.#size - this.#open.length;
    if (isOpen) return this.#open;
    if (this.#last?.block === block) return this.#last.names;
    const start = this.#blocks[block] ?? 0;
    const chunk = this.#chunks[Math.floor(start / chunkBytes)] ?? Buffer.alloc(0);
    const names = unpack(chunk, start % chunkBytes);
    this.#last = { block, names };
    return names;
  }

  #close(): void {
    const packed = pack(this.#open);
    if (this.#used + packed.length > chunkBytes) {
      this.#chunks.push(Buffer.allocUnsafeSlow(chunkBytes));
      this.#used = 0;
    }
    const chunk = this.#chunks.length - 1;
    const block = this.#size / namesABlock - 1;
    if (block >= this.#blocks.length) this.#blocks = twice(this.#blocks);
    this.#blocks[block] = chunk * chunkBytes + this.#used;
    this.#chunks[chunk]?.set(packed, this.#used);
    this.#used += packed.length;
    this.#open = [];
  }

  #place(tag: number, number: number): void {
    const last = this.#tags.length - 1;
    let slot = tag & last;
    while (this.#numbers[slot] !== 0) slot = (slot + 1) & last;
    this.#tags[slot] = tag;
    this.#numbers[slot] = number;
  }

  #grow(): void {
    const [tags, numbers] = [this.#tags, this.#numbers];
    this.#tags = new Uint32Array(2 * tags.length);
    this.#numbers = new Uint32Array(2 * tags.length);
    for (let slot = 0; slot < numbers.length; slot += 1) {
      const number = numbers[slot] ?? 0;
      if (number !== 0) this.#place(tags[slot] ?? 0, number);
    }
  }
}

/** FNV-1a of 32 bits; names that share one are told apart by themselves. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  }
  return hash >>> 0;
}

function twice(array: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const more = new Uint32Array(2 * array.length);
  more.set(array);
  return more;
}

/** Each name as what stands between its beginning and its end that the name before has as well. */
function pack(names: readonly string[]): Buffer {
  const parts: Buffer[] = [];
  let before = Buffer.alloc(0);
  for (const name of names) {
    const bytes = Buffer.from(name);
    const most = Math.min(bytes.length, before.length, longestShared);
    let start = 0;
    while (start < most && bytes[start] === before[start]) start += 1;
    const left = Math.min(Math.min(bytes.length, before.length) - start, longestShared);
    let end = 0;
    while (end < left && bytes.at(-1 - end) === before.at(-1 - end)) end += 1;
    const between = bytes.subarray(start, bytes.length - end);
    const head = Buffer.alloc(headBytes);
    head.writeUInt8(start, 0);
    head.writeUInt8(end, 1);
    head.writeUInt16LE(between.length, 2);
    parts.push(head, between);
    before = bytes;
  }
  return Buffer.concat(parts);
}

function unpack(chunk: Buffer, offset: number): string[] {
  const names: string[] = [];
  let before = Buffer.alloc(0);
  let at = offset;
  while (names.length < namesABlock) {
    const start = chunk.readUInt8(at);
    const end = chunk.readUInt8(at + 1);
    const length = chunk.readUInt16LE(at + 2);
    at += headBytes;
    const bytes = Buffer.concat([
      before.subarray(0, start),
      chunk.subarray(at, at + length),
      before.subarray(before.length - end),
    ]);
    at += length;
    names.push(bytes.toString());
    before = bytes;
  }
  return names;
}
