// Names that are unique in a set. Pure.

/** Adds the first free name to `taken` and returns it: `Oak`, `Oak 2`, `Oak 3` … */
export function takeFreeName(name: string, taken: Set<string>, separator = ' '): string {
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${name}${separator}${number}`;
  taken.add(free);
  return free;
}
