/** A connector reads at most 16 MiB, and each part is read and parsed as a whole. */
const partBytes = 4 * 1024 * 1024;

/** Splits a list in its order, by `partBytes`. No part is empty. An item above the limit becomes its own part. */
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

/** Writes the parts of a list one after the other, numbered from 0. Returns the number of parts. */
export async function writeParts<Item>(
  items: readonly Item[],
  write: (part: Item[], number: number) => Promise<unknown>,
): Promise<number> {
  let number = 0;
  for (const { items: part } of splitByBytes(items)) {
    await write(part, number);
    number += 1;
  }
  return number;
}
