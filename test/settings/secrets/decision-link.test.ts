// Signed links. Text is read only if it was signed with the key.
import { describe, expect, test } from 'vitest';
import { parseLink, readLinkKey, signLink } from '../../../src/settings/secrets/decision-link.ts';

const key = 'k'.repeat(32);
const link = { id: 'l-1', run: 'shop/1 ü', person: 'Ärla "<b>"\n', untilMs: 1_800_000_000_000 };

test('a signed link can be read, and contains only characters that are safe in a URL', () => {
  const text = signLink(link, key);
  expect(text).toMatch(/^[\w-]+\.[\w-]{43}$/);
  expect(parseLink(text, key)).toEqual(link);
});

test.each<[string, (text: string) => string]>([
  ['an empty string', () => ''],
  ['a dot', () => '.'],
  ['the content alone', (text) => text.split('.')[0] ?? ''],
  ['the signature alone', (text) => `.${text.split('.')[1]}`],
  ['additional text', (text) => `${text}.`],
  ['content that is not JSON', () => 'abc.def'],
  ['another letter in the content', (text) => `${text[0] === 'W' ? 'X' : 'W'}${text.slice(1)}`],
])('a link with %s is refused', (_what, change) => {
  expect(parseLink(change(signLink(link, key)), key)).toBeNull();
  expect(parseLink(signLink(link, key), 'x'.repeat(32))).toBeNull();
});

describe('the key', () => {
  test.each([
    [{}, null],
    [{ RENDERLINE_LINK_KEY: ' ' }, null],
    [{ RENDERLINE_LINK_KEY: `${key}\n` }, key],
  ])('the key is read from %j', (env, found) => {
    expect(readLinkKey(env)).toBe(found);
  });

  test('a key that is too short is refused, and not shown', () => {
    const read = () => readLinkKey({ RENDERLINE_LINK_KEY: 'secret' });
    expect(read).toThrow('RENDERLINE_LINK_KEY has 6 characters; it needs at least 32.');
    expect(read).not.toThrow(/secret'|: secret/);
  });
});
