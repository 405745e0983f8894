// Unique names. Each name gets the first free number, however many names are equal.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  insertBeforeExtension,
  type TakenNames,
  takeFreeName,
  takeFreePath,
} from '../../src/language/naming/free-name.ts';

/** Names with numbers, cases and extensions that collide. */
const names = fc.array(
  fc
    .array(fc.constantFrom('a', 'A', ' 2', '-2', '-3', '.', '/'), { minLength: 1, maxLength: 4 })
    .map((parts) => parts.join('')),
  { maxLength: 40 },
);

/** Counts from 2 for each name. */
function countedFrom2(
  all: readonly string[],
  next: (name: string, number: number) => string,
  fold: (text: string) => string,
) {
  const taken = new Set<string>();
  return all.map((name) => {
    let free = name;
    for (let number = 2; taken.has(fold(free)); number += 1) free = next(name, number);
    taken.add(fold(free));
    return free;
  });
}

it('a name gets the first free number', () => {
  fc.assert(
    fc.property(names, (all) => {
      const taken: TakenNames = new Map();
      const expected = countedFrom2(
        all,
        (name, number) => `${name} ${number}`,
        (text) => text,
      );
      expect(all.map((name) => takeFreeName(name, taken))).toEqual(expected);
    }),
  );
});

it('a path gets its number before the extension, and paths never differ only in case', () => {
  fc.assert(
    fc.property(names, (all) => {
      const taken: TakenNames = new Map();
      const expected = countedFrom2(
        all,
        (path, number) => insertBeforeExtension(path, `-${number}`),
        (text) => text.toLowerCase(),
      );
      expect(all.map((path) => takeFreePath(path, taken))).toEqual(expected);
    }),
  );
});

it('ten thousand equal names are numbered within two seconds', { timeout: 2_000 }, () => {
  const taken: TakenNames = new Map();
  for (let at = 0; at < 10_000; at += 1) takeFreeName('Oak', taken);
  expect(takeFreeName('Oak', taken)).toBe('Oak 10001');
});
