// Lists in pieces. Pure.

/** The items in their order, so many in a piece; the last one may have fewer. */
export function chunks<Item>(items: readonly Item[], size: number): Item[][] {
  const pieces: Item[][] = [];
  for (let start = 0; start < items.length; start += size) {
    pieces.push(items.slice(start, start + size));
  }
  return pieces;
}
