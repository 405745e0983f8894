// The changes of a mutation run are plausible mistakes, and each of them can change behaviour.
import { describe, expect, it } from 'vitest';
import { areas, testAreaOf } from '../../../scripts/mutate/areas.ts';
import { applyChange, choose, mutantsOf } from '../../../scripts/mutate/mutants.ts';

const changed = (text: string) =>
  mutantsOf('a.ts', text).map(({ change }) => applyChange(text, change));

describe('changes to the code', () => {
  it.each([
    ['a < b', ['a <= b']],
    ['a !== b', ['a === b']],
    ['a + b', ['a - b']],
    ["a + 'text'", []],
    ['a || b', ['a && b']],
    ['a ?? b', ['a']],
    ["a ?? ''", []],
    ['!a', ['a']],
    ['(a) && (b)', ['(a) || (b)']],
    ['f(100)', [';', 'f(50)']],
    ['f(0)', [';', 'f(1)']],
    ['f(true)', [';', 'f(false)']],
    ['await f()', [';']],
    ['a = b', [';']],
    ['super()', []],
    ['if (a) b', ['if (true) b', 'if (false) b']],
    ['a ? b : c', ['true ? b : c', 'false ? b : c']],
    ['x = a.every(b)', [';', 'x = a.some(b)']],
    ['x = a.filter(b).length', [';', 'x = a.length']],
    ['for (;;) { continue; }', ['for (;;) { ; }']],
  ])('the changes of %s are found', (text, expected) => {
    expect(changed(text)).toEqual(expected);
  });

  it.each([
    ["import { a } from 'b'"],
    ['type A = 1 | true'],
    ['interface A { b: 1 }'],
    ['const a: 1 | 2 = b as 1'],
  ])('%s is not changed, since that would have no effect', (text) => {
    expect(changed(text)).toEqual([]);
  });

  it('a change inside a type assertion is found', () => {
    expect(changed('const a = (b + c) as number')).toEqual(['const a = (b - c) as number']);
  });

  it('a change contains its line number, and the line before and after it', () => {
    expect(mutantsOf('a.ts', 'let a;\n  a = 50;\n')).toMatchObject([
      { path: 'a.ts', line: 2, lineBefore: 'a = 50;', lineAfter: ';' },
      { path: 'a.ts', line: 2, lineBefore: 'a = 50;', lineAfter: 'a = 25;' },
    ]);
  });
});

describe('the choice of changes', () => {
  const mutants = mutantsOf('a.ts', 'f(a < b, c < d, e < g, h < i, j < k)');

  it('the choice is the same for the same seed, in the order of the source text', () => {
    const chosen = choose(mutants, 3, 7);
    expect(chosen).toHaveLength(3);
    expect(choose(mutants, 3, 7)).toEqual(chosen);
    expect(mutants.filter((mutant) => chosen.includes(mutant))).toEqual(chosen);
  });

  it('the choice is different for another seed', () => {
    const starts = (seed: number) => choose(mutants, 3, seed).map(({ change }) => change.start);
    expect(new Set([1, 2, 3, 4].map((seed) => starts(seed).join())).size).toBeGreaterThan(1);
  });
});

describe('the area of a file', () => {
  it.each([
    ['src/engine/uploads/record-group.ts', 'src/engine/uploads'],
    ['workflows', 'workflows'],
    ['src/planets/a.ts', null],
  ])('the area of %s is %s', (path, folder) => {
    expect(testAreaOf(path)?.folder ?? null).toBe(folder);
  });

  it('every area has tests', () => {
    for (const { tests } of areas) expect(tests.length).toBeGreaterThan(0);
  });
});
