// Lists parted so that each part is an object that a connector reads at once.

/** A connector reads 16 MiB at most, and each part is read and parsed as a whole. */
const partBytes = 4 * 1024 * 1024;

/** The items in their order; no empty part, and an item alone where it is larger by itself. */
export function* byteParts<Item>(
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
