// The spellings of an id that people and the platform use.
import { describe, expect, it, test } from 'vitest';
import {
  createIdMatcher,
  createIdSearch,
  idSpellingsOf,
} from '../../src/store/search/id-spelling.ts';

const bare = '0f8fad5bd9cb469fa16570867728950e';
const dashed = '0f8fad5b-d9cb-469f-a165-70867728950e';

describe('a GUID', () => {
  const ways = [
    bare,
    dashed,
    bare.toUpperCase(),
    dashed.toUpperCase(),
    `{${dashed}}`,
    `{${dashed.toUpperCase()}}`,
    '0F8fad5b-d9cb469f-a16570867728950e',
  ];

  it.each(ways)('a GUID written as %s matches every other spelling', (one) => {
    expect(ways.filter((other) => !createIdMatcher(one)(other))).toEqual([]);
    const isIn = createIdSearch(one);
    expect(ways.filter((other) => !isIn(Buffer.from(`{"modelId":"${other}"}`)))).toEqual([]);
    const usual = [bare, dashed, bare.toUpperCase(), dashed.toUpperCase()];
    expect(new Set(idSpellingsOf(one))).toEqual(new Set([one, ...usual]));
  });

  it.each([`${bare}0`, bare.slice(1), dashed.replace('0f8', '0f9'), `x${dashed}`, ''])(
    'a GUID does not match "%s"',
    (other) => {
      expect(createIdMatcher(dashed)(other)).toBe(false);
    },
  );
});

describe('an id that is not a GUID', () => {
  test.each([
    ['m1', 'm1', true],
    ['m1', 'M1', false],
    ['a-b', 'ab', false],
    ['{m1}', 'm1', false],
    // These are 32 characters that are not hexadecimal.
    ['g'.repeat(32), 'G'.repeat(32), false],
  ])('the id %s matches %s: %s', (id, text, same) => {
    expect(createIdMatcher(id)(text)).toBe(same);
    expect(createIdSearch(id)(Buffer.from(text))).toBe(same);
    expect(idSpellingsOf(id)).toEqual([id]);
  });
});
