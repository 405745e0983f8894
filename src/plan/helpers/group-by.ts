// Groups items by key. Node supports `Map.groupBy` only since version 21.

/** Returns the groups in the order of their first items. */
export function groupBy<Item, Key extends string | number>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
