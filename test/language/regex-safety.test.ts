import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findRegexProblem } from '../../src/language/regex-safety.ts';

describe('typical expressions for file names', () => {
  it.each([
    '^shoes/',
    '-hero$',
    '.*-hero.*',
    '^(shoe|boot)-.*-(red|blue)\\.\\d+$',
    '(^|[/_-])(chair|table|sofa)s?([/_-]|$)',
    '^[a-z]+/[a-z]+/.*$',
    '(\\w+)-(\\w+)$',
    'colou?r',
    '\\bchair\\b',
    '[^/]*',
    '.*[^x].*',
    'a*a*a*',
    '(?:ab)+',
    '(?<sku>[0-9]{6})',
    '\\d{3,8}',
    'v[0-9]+\\.[0-9]+',
    '^[\\w\\-.]+/[^/]*/[\\w.-]+$',
    '^[a\\]-]+$',
    '[^x]*x[^x]*x',
  ])('the typical expression %s is accepted', (source) => {
    expect(findRegexProblem(source)).toBeNull();
  });
});

describe('expressions that could take forever on some names', () => {
  const repeated = 'repeats a group that contains a repetition or a choice';
  it.each([
    ['(a+)+$', 0, repeated],
    ['x(a|a)*b', 1, repeated],
    ['(ab?)+', 0, repeated],
    ['(a{0,50}){50}', 0, repeated],
    ['((a*))*', 0, repeated],
    ['(a)\\1', 3, 'uses a back-reference, which is not supported'],
    ['(?<n>a)\\k<n>', 7, 'uses a back-reference, which is not supported'],
    ['a(?=b)', 1, 'uses a lookahead, a lookbehind or flags, which are not supported'],
    ['a(?!b)', 1, 'uses a lookahead, a lookbehind or flags, which are not supported'],
    ['(?<=a)b', 0, 'uses a lookahead, a lookbehind or flags, which are not supported'],
    ['(?<!a)b', 0, 'uses a lookahead, a lookbehind or flags, which are not supported'],
    ['a{1000}', 0, 'repeats more than 100 times'],
    ['\\p{L}', 0, 'uses the escape \\p'],
    ['^o*[\\x6f]*b', 4, 'uses the escape \\x'],
    ['^o*[a\\157]*b', 5, 'uses the escape \\1'],
    ['^o*[\\u006f]*b', 4, 'uses the escape \\u'],
    ['^o*[!-\\x7a]*b', 6, 'uses the escape \\x'],
    ['x'.repeat(201), 200, 'is longer than 200 characters'],
    ['['.repeat(1), 0, 'is not valid: unterminated character class'],
    [`${'('.repeat(12)}a${')'.repeat(12)}`, 10, 'nests groups too deeply'],
  ])('the expression %s is refused at %i', (source, offset, reason) => {
    expect(findRegexProblem(source)).toEqual({ reason, offset });
  });

  it.each([
    '.*a.*b',
    'a*a*a*!',
    'a*aa*!',
    'a*a(a*)?!$',
    '(a*aa*)!',
    '-*-*-*\\b',
    '-*-*-*^',
    '[a-z]+[a-z]*x',
    '^.*.*.*$',
    '\\d+\\d+\\d+x',
    '^\\s*\\n*[\\n]*x',
    '^[\\w\\-.]*-*[\\w\\-.]*x',
    '^[a-\\w]*b*[a-\\w]*x',
    '^[\\w-z]*-*[\\w-z]*x',
    '^A*[^a]*A*b',
    'a*(a*b)',
    '^a*(a*(a*b))',
    '^a*(b|a*(a*b)?c)',
    '\\W*(?:\\W*A+\\W+)_*',
  ])('the expression %s has too many repetitions', (source) => {
    expect(findRegexProblem(source)?.reason).toMatch(/^has too many repetitions/);
  });

  it.each([`${'a?'.repeat(40)}${'a'.repeat(40)}`, `${'(a|ab)'.repeat(30)}$`])(
    'the expression %s has too many optional parts',
    (source) => {
      expect(findRegexProblem(source)?.reason).toMatch(/^has too many optional parts/);
    },
  );

  it('an anchor is suggested if only an anchor is missing', () => {
    expect(findRegexProblem('.*a.*b')?.reason).toContain('begin it with ^');
    expect(findRegexProblem('^.*a.*b$')).toBeNull();
  });
});

describe('the speed of accepted expressions', () => {
  const piece = fc.oneof(
    fc.constantFrom('a', 'b', '-', '.', '[ab]', '[^b]', '\\w', '\\d', 'ab'),
    fc.constantFrom('[^B]', 'A', '[\\w\\-]', '[a-\\w]', '[\\d-b]', '[\\-a]', '[!-b]'),
    fc.constantFrom('(a|b)', '(a|ab)', '(?:ba)', '(a*)', '(ab?)', '(b+|a)', '(a?b?)', '(a*b)'),
  );
  const quantifier = fc.constantFrom('', '', '*', '+', '?', '{0,9}', '{2,}', '*?', '{3}');
  const source = fc
    .tuple(
      fc.constantFrom('', '^'),
      fc.array(fc.tuple(piece, quantifier), { maxLength: 12 }),
      fc.constantFrom('', '$', '!$'),
    )
    .map(([start, parts, end]) => start + parts.map((part) => part.join('')).join('') + end);
  const hostile = ['a', 'ab', 'b', '-', 'aab'].map((unit) => `${unit.repeat(600).slice(0, 600)}?`);

  it('accepted expressions are fast on names that consist of their own characters', () => {
    fc.assert(
      fc.property(source, (text) => {
        fc.pre(findRegexProblem(text) === null);
        const patterns = [new RegExp(text, 'i'), new RegExp(text)];
        const { user } = process.cpuUsage();
        for (const name of hostile) for (const pattern of patterns) pattern.test(name);
        // The match usually takes milliseconds. An exponential expression would never return.
        expect(process.cpuUsage().user - user).toBeLessThan(1_000_000);
      }),
      { numRuns: 400 },
    );
  });
});
