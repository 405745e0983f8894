/**
 * Returns the list without `false`, so that an item may have a condition: `isNew && line`. A condition that may be
 * undefined is a type error, because undefined would stay in the list.
 */
export function withoutFalse<Item extends NonNullable<unknown>>(
  items: readonly (Item | false)[],
): Item[] {
  return items.filter((item): item is Item => item !== false);
}
