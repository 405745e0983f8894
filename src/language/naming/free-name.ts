// Names that are unique within a set. Pure.

/**
 * Names that are taken, each with the last number that was tried. Keeping the number avoids counting from 2 for each of
 * a thousand equal names.
 */
export type TakenNames = Map<string, number>;

/** Adds the first free name to `takenNames` and returns it: `Oak`, `Oak 2`, `Oak 3` … */
export function takeFreeName(name: string, takenNames: TakenNames, separator = ' '): string {
  return takeFree(takenNames, (number) => (number === 1 ? name : `${name}${separator}${number}`));
}

/** Like `takeFreeName`, for paths, which do not differ by case alone: `oak.png`, `oak-2.png`, `oak-3.png` … */
export function takeFreePath(path: string, takenNames: TakenNames): string {
  const numbered = (number: number) =>
    number === 1 ? path : insertBeforeExtension(path, `-${number}`);
  return takeFree(takenNames, numbered, (text) => text.toLowerCase());
}

export function insertBeforeExtension(path: string, text: string): string {
  const dot = path.lastIndexOf('.');
  return dot <= path.lastIndexOf('/') ? path + text : path.slice(0, dot) + text + path.slice(dot);
}

function takeFree(
  takenNames: TakenNames,
  numbered: (number: number) => string,
  fold = (text: string) => text,
): string {
  const name = fold(numbered(1));
  let number = takenNames.get(name) ?? 1;
  while (takenNames.has(fold(numbered(number)))) number += 1;
  takenNames.set(name, number);
  const freeName = numbered(number);
  if (number > 1) takenNames.set(fold(freeName), 1);
  return freeName;
}
