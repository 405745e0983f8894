import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  GlobSet,
  GlobWorkError,
  maxGlobNameLength,
  maxGlobSteps,
} from '../../src/language/glob-set.ts';
import { findGlobProblem, type GlobOptions, maxGlobLength } from '../../src/language/read-glob.ts';

const path: GlobOptions = { style: 'path', ignoreCase: true };
const name: GlobOptions = { style: 'name', ignoreCase: true };

describe('globs over paths', () => {
  it.each([
    ['**/*.{glb,gltf}', 'shoes/Red.GLB', true],
    ['**/*.{glb,gltf}', 'red.glb', true],
    ['**/*.{glb,gltf}', 'red.obj', false],
    ['shoes/**', 'shoes/a/b.glb', true],
    ['shoes/**', 'shoes', false],
    ['shoes/*', 'shoes/a/b.glb', false],
    ['./shoes/*', 'shoes/a.glb', true],
    ['**', 'a/b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**/b', 'a/xb', false],
    ['a**b', 'axxb', true],
    ['a**b', 'a/b', false],
    ['v[0-9]?.glb', 'v12.glb', true],
    ['v[0-9]?.glb', 'va2.glb', false],
    ['[^a]*.glb', 'b.glb', true],
    ['[^a]*.glb', 'A.glb', false],
    ['[^a]b', '/b', false],
    ['[A-C]', 'b', true],
    ['[A-_]', 'b', true],
    ['[Z-a]', 'z', true],
    ['[Z-a]', 'b', false],
    ['[a\u0300-e\u0300]', '\u00e7', true],
    ['[a-]', '-', true],
    ['{hero/**,**/hero/**,*-hero}', 'a/hero/b', true],
    ['x{,-new}.glb', 'x.glb', true],
    ['x{,-new}.glb', 'x-new.glb', true],
    ['chair (1).glb', 'chair (1).glb', true],
    ['a.glb', 'aXglb', false],
    ['?', '🪑', true],
    ['İ*', 'İx', true],
  ])('the path glob %s on %s returns %j', (glob, text, fits) => {
    expect(findGlobProblem(glob)).toBeNull();
    expect(new GlobSet([glob], path).hasMatch(text)).toBe(fits);
  });

  it('globs over paths are case-sensitive by default', () => {
    expect(new GlobSet(['a*'], { style: 'path' }).hasMatch('AB')).toBe(false);
  });
});

describe('globs over names', () => {
  it.each([
    ['*red', 'dark/red', true],
    ['a?b', 'a/b', true],
    ['Blue (matte)', 'blue (matte)', true],
    ['Chair | *', 'Chair | Oak', true],
    ['Bez\u00fc*', 'Bezu\u0308ge', true],
    ['Bezu\u0308?e', 'Bez\u00fcge', true],
  ])('the name glob %s on %s returns %j', (glob, text, fits) => {
    expect(new GlobSet([glob], name).hasMatch(text)).toBe(fits);
  });
});

it('a set of globs returns the indexes of those that match', () => {
  const globs = new GlobSet(['a*', '*b', 'ab', 'c'], path);
  expect(globs.matching('ab')).toEqual([0, 1, 2]);
  expect(globs.matching('c')).toEqual([3]);
  expect(globs.matching('d')).toEqual([]);
});

it.each([
  ['**/SKU-$*', 'shoes/SKU-$_front.glb'],
  ['**/*-$.glb', 'shoes/red-$.glb'],
  ['{shoes,boots}/**/$_*', 'boots/2026/$_top.glb'],
])('of a thousand globs such as %s, one per product, each matches its own paths', (glob, text) => {
  const numbers = Array.from({ length: 1_000 }, (_, index) => String(1_000 + index));
  const globs = new GlobSet(
    numbers.map((number) => glob.replace('$', number)),
    { style: 'path' },
  );
  const found = numbers.map((number) => globs.matching(text.replace('$', number)));
  expect(found).toEqual(numbers.map((_, index) => [index]));
  const others = Array.from({ length: 100_000 }, (_, n) => `f${n % 100}/${n}/P${n * 7919}.glb`);
  expect(others.filter((other) => globs.hasMatch(other))).toEqual([]);
  expect(globs.steps).toBeLessThan(maxGlobSteps / 2);
});

describe('invalid globs', () => {
  it.each([
    ['+(a|b)', 0, 'uses an extended pattern such as +(a|b)'],
    ['x@(a)', 1, 'uses an extended pattern such as +(a|b)'],
    ['x(a|b)', 1, 'groups with (a|b); write {a,b}'],
    ['a\\b', 1, 'contains a backslash; paths use /'],
    ['!a', 0, 'begins with !; use exclude'],
    ['/a', 0, 'begins with /; paths are relative'],
    ['../a', 0, 'leaves the folder with ..'],
    ['a/../b', 1, 'leaves the folder with ..'],
    ['[a', 0, 'has an unmatched bracket'],
    ['a]', 1, 'has an unmatched bracket'],
    ['{a,b', 0, 'has an unmatched bracket'],
    ['a}', 1, 'has an unmatched bracket'],
    ['[]', 0, 'has empty brackets'],
    ['[z-a]', 0, 'has a range that ends before it starts'],
    ['{a}', 0, 'has braces without a comma'],
    ['{a,{b,c}}', 3, 'nests braces'],
    ['{1..9}', 0, 'counts with {1..9}'],
    ['{a..c}', 0, 'counts with {1..9}'],
    ['x[!a]', 1, 'negates with [!; write [^'],
    ['a'.repeat(201), 200, 'is longer than 200 characters'],
    ['*a'.repeat(21), 40, 'has more than 20 stars'],
    [`{${'a,'.repeat(50)}a}`, 0, 'has more than 50 alternatives in braces'],
    ['{a,b}'.repeat(26), 125, 'has more than 50 alternatives in braces'],
  ])('the glob %s is refused at %i: it %s', (glob, offset, reason) => {
    expect(findGlobProblem(glob)).toEqual({ reason, offset });
    expect(() => new GlobSet([glob], path)).toThrow(reason);
  });
});

/** As a regular expression, each of these globs took far too long. */
const bombs: readonly (readonly [glob: string, text: string])[] = [
  ['*a'.repeat(20), `${'a'.repeat(250)}!`],
  ['**/*a*a*b', `${'a/'.repeat(130)}${'a'.repeat(250)}`],
  ['**/a/'.repeat(10), `${'a/'.repeat(250)}!`],
  ['{**/a/**,**/b/**}', `${'a/b/'.repeat(120)}!`],
  ['{*,*}'.repeat(6), `${'a'.repeat(1_000)}/`],
  ['{**/a,**/b}'.repeat(6), `${'a/b/'.repeat(500)}!`],
  ['{a,aa,aaa,aaaa,*}'.repeat(10), `${'a'.repeat(2_000)}/`],
  ['{a?,?a,aa}'.repeat(16), `${'a'.repeat(4_000)}!`],
  [`*a${'?'.repeat(190)}`, 'ab'.repeat(2_000)],
  [`*${'a'.repeat(198)}`, 'a'.repeat(4_000)],
  ['[^b]'.repeat(40), 'a'.repeat(4_000)],
];

describe('hostile globs', () => {
  it.each(bombs)('the hostile glob %s takes few steps for each character', (glob, text) => {
    expect(findGlobProblem(glob)).toBeNull();
    for (const options of [path, name]) {
      const globs = new GlobSet([glob], options);
      globs.matching(text);
      expect(globs.steps).toBeLessThan(4 * maxGlobLength * (text.length + 2));
    }
  });

  it('matching the same text again takes no further steps', () => {
    const globs = new GlobSet(['**/*a*b*c.{glb,gltf}'], path);
    const text = 'x/abcabcabc.glb';
    globs.matching(text);
    const before = globs.steps;
    globs.matching(text);
    expect(globs.steps).toBe(before);
  });

  it('texts longer than any name match nothing and take no steps', () => {
    const globs = new GlobSet(['**'], path);
    expect(globs.hasMatch('a'.repeat(maxGlobNameLength))).toBe(true);
    const before = globs.steps;
    expect(globs.hasMatch('a'.repeat(maxGlobNameLength + 1))).toBe(false);
    expect(globs.steps).toBe(before);
  });

  it('matching is abandoned if globs and names together take too many steps', () => {
    // A random text reaches new sets of positions again and again.
    let state = 1;
    const bits = () =>
      Array.from({ length: maxGlobNameLength }, () => {
        state = (state * 48_271) % 2_147_483_647;
        return state % 2 === 0 ? 'a' : 'b';
      }).join('');
    const globs = new GlobSet(Array(50).fill(`*a${'?'.repeat(190)}`), path);
    expect(() => {
      for (let texts = 0; texts < 100; texts++) globs.matching(bits());
    }).toThrow(GlobWorkError);
    expect(globs.steps).toBeLessThan(maxGlobSteps * 1.01);
  });
});

describe('any glob', () => {
  const glob = fc
    .array(fc.constantFrom('a', 'b', '/', '*', '?', '[ab]', '[^a]', '{a,b}', '{*a,}', '.'), {
      minLength: 1,
      maxLength: 8,
    })
    .map((words) => words.join(''))
    .filter((text) => !text.includes('**') && findGlobProblem(text) === null);

  /** The same glob as a regular expression, which is correct but slow on hostile globs. */
  const asRegex = (source: string) =>
    new RegExp(
      `^${source
        .replace(/^\.\//, '')
        .replaceAll('.', '\\.')
        .replaceAll('[^a]', '[^a/]')
        .replaceAll('?', '[^/]')
        .replaceAll('{*a,}', '([^/]@a|)')
        .replaceAll('{a,b}', '(a|b)')
        .replaceAll('*', '[^/]*')
        .replaceAll('@', '*')}$`,
    );

  it('any glob matches the same texts as the equivalent regular expression', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', '/', '.'), { maxLength: 8 })
      .map((chars) => chars.join(''));
    fc.assert(
      fc.property(glob, text, (source, one) => {
        expect(new GlobSet([source], { style: 'path' }).hasMatch(one)).toBe(
          asRegex(source).test(one),
        );
      }),
      { numRuns: 3_000 },
    );
  });
});
