// Splits an answer about many things by thing. Pure.

/**
 * By the ids that were asked for; other ids are left out. A thing that the answer names twice, and not the same, is left
 * out, too.
 */
export function toldOf<Item>(
  asked: Iterable<string>,
  items: readonly Item[],
  idOf: (item: Item) => string,
): Map<string, Item> {
  const wanted = new Set(asked);
  const told = new Map<string, Item>();
  for (const item of items) {
    const id = idOf(item);
    if (!wanted.has(id)) continue;
    const other = told.get(id);
    told.set(id, item);
    if (other === undefined || JSON.stringify(other) === JSON.stringify(item)) continue;
    told.delete(id);
    wanted.delete(id);
  }
  return told;
}
