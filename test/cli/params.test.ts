import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  collectOption,
  createIntegerParser,
  parseAddress,
  parsePairs,
} from '../../src/cli/params.ts';
import { run } from './_run-cli.ts';

describe('a whole number', () => {
  test.each(['1', '1795692072', '4294967295'])('%s is accepted as a whole number', (value) => {
    expect(createIntegerParser('--seed')(value)).toBe(Number(value));
  });

  test.each(['0', '-1', '1.5', '1e3', '4294967296', '9'.repeat(30), ''])(
    '%j is refused as a whole number, and the message contains the bounds',
    (value) => {
      expect(() => createIntegerParser('--seed')(value)).toThrow(
        'a whole number from 1 to 4294967295',
      );
    },
  );
});

describe('pairs of name=value', () => {
  test.each<[string[], Record<string, string>]>([
    [[], {}],
    [['a=b'], { a: 'b' }],
    [['a=b=c'], { a: 'b=c' }],
    [['a='], { a: '' }],
    [['a=b', 'c= d '], { a: 'b', c: ' d ' }],
    [['__proto__=x'], Object.fromEntries([['__proto__', 'x']])],
  ])('the pairs %j are parsed', (pairs, expected) => {
    expect(parsePairs('--param', pairs)).toEqual(expected);
  });

  test.each([['folder'], ['=value'], ['']])(
    'the pair %j is refused, and the message contains the flag',
    (pair) => {
      expect(() => parsePairs('--param', [pair])).toThrow(`--param "${pair}" is not name=value.`);
    },
  );

  test('a repeated name is refused', () => {
    expect(() => parsePairs('--param', ['a=1', 'a=2'])).toThrow('--param sets "a" twice.');
  });

  test('any value is returned unchanged', () => {
    const name = fc.stringMatching(/^[a-z][a-z0-9_-]*$/);
    fc.assert(
      fc.property(fc.dictionary(name, fc.string()), (values) => {
        const pairs = Object.entries(values).map(([key, value]) => `${key}=${value}`);
        expect(parsePairs('--param', pairs)).toEqual({ ...values });
      }),
    );
  });

  test('repeated options keep their order', () => {
    expect(collectOption('b=2', collectOption('a=1', undefined))).toEqual(['a=1', 'b=2']);
  });
});

describe('an address to listen on', () => {
  test.each([
    '127.0.0.1',
    '0.0.0.0',
    '::1',
    'fe80::1%eth0',
    'localhost',
    'studio-2.example',
    'my_host',
  ])('%s is accepted as an address to listen on', (value) => {
    expect(parseAddress(value)).toBe(value);
  });

  test.each(['', 'a b', 'a..b', '-a', 'http://a', 'a:80', '[::1]', 'a/b'])(
    '%j is refused as an address to listen on',
    (value) => {
      expect(() => parseAddress(value)).toThrow('is neither an IP address nor a host name.');
    },
  );

  test.each(['ui', 'webhooks', 'codec', 'mcp', 'sandbox'])(
    'the address is also checked by %s',
    async (command) => {
      const ran = await run([command, '--host', 'a b', '--json']);
      expect([ran.code, ran.json()]).toMatchObject([2, { code: 'BAD_HOST' }]);
    },
  );
});
