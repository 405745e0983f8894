// Splits lists so that each part fits into one stored object.

/** A connector reads at most 16 MiB, and each part is read and parsed as a whole. */
const partBytes = 4 * 1024 * 1024;

/** Keeps the order. No part is empty; an item that exceeds the limit becomes a part of its own. */
export function* splitByBytes<Item>(
  items: readonly Item[],
): Generator<{ items: Item[]; bytes: number }> {
  let part: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    const size = Buffer.byteLength(JSON.stringify(item));
    if (part.length > 0 && bytes + size > partBytes) {
      yield { items: part, bytes };
      [part, bytes] = [[], 0];
    }
    part.push(item);
    bytes += size;
  }
  if (part.length > 0) yield { items: part, bytes };
}
