// The size of a value in a history event. Pure, because workflows have no Buffer.

/** Returns the length of a string in UTF-8 bytes. */
export function textBytesOf(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** Returns the size of a value as JSON, the encoding of payloads. Returns 0 for values that JSON omits. */
export function jsonBytesOf(value: unknown): number {
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? 0 : textBytesOf(text);
}

/** Returns the first items that fit: at most `count` items, and at most `bytes` of JSON in total. */
export function takeFitting<Item>(
  items: Iterable<Item>,
  { count, bytes }: { count: number; bytes: number },
): Item[] {
  const fitting: Item[] = [];
  let usedBytes = 0;
  for (const item of items) {
    usedBytes += jsonBytesOf(item) + 1;
    if (fitting.length >= count || usedBytes > bytes) break;
    fitting.push(item);
  }
  return fitting;
}
