/** The list without `false`, so that an item may have a condition: `isNew && line`. */
export function withoutFalse<Item>(items: readonly (Item | false)[]): Item[] {
  return items.filter((item): item is Item => item !== false);
}
