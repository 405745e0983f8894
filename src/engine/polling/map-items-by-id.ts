// Splits a response about many items by item id. Pure.

/** Returns the items with the requested ids. An id that occurs twice with different content is left out. */
export function mapItemsById<Item>(
  ids: Iterable<string>,
  items: readonly Item[],
  idOf: (item: Item) => string,
): Map<string, Item> {
  const wantedIds = new Set(ids);
  const byId = new Map<string, Item>();
  for (const item of items) {
    const id = idOf(item);
    if (!wantedIds.has(id)) continue;
    const other = byId.get(id);
    byId.set(id, item);
    if (other === undefined || JSON.stringify(other) === JSON.stringify(item)) continue;
    byId.delete(id);
    wantedIds.delete(id);
  }
  return byId;
}
