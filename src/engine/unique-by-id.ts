// Lists of the platform may contain an item twice.

/** The items in their order, only the first of each id. */
export function uniqueById<Item>(items: readonly Item[], idOf: (item: Item) => string): Item[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    const id = idOf(item);
    const isNew = !seen.has(id);
    seen.add(id);
    return isNew;
  });
}
