// Removes duplicates, because lists of the platform may contain an item twice.

/** Returns the items in their order, keeping only the first one with each id. */
export function removeDuplicateIds<Item>(
  items: readonly Item[],
  idOf: (item: Item) => string,
): Item[] {
  const seenIds = new Set<string>();
  return items.filter((item) => {
    const id = idOf(item);
    const isNew = !seenIds.has(id);
    seenIds.add(id);
    return isNew;
  });
}
