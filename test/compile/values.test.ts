// Values of parameters as people and programs write them: what each type accepts, and why it refuses others.
import { describe, expect, test } from 'vitest';
import { Parameter } from '../../src/compile/pipeline.ts';
import { placeholderOf, validateValue } from '../../src/compile/yaml/parameters.ts';

type Declaration = Parameters<typeof Parameter.parse>[0];

const integer = { type: 'integer' };
const number = { type: 'number' };
const boolean = { type: 'boolean' };
const string = { type: 'string' };
const path = { type: 'path' };
const look = { type: 'enum', values: ['web', 'print'] };

describe('the value of a parameter', () => {
  // Values from a command line are text. Values of other types come from schedules and programs.
  test.each<[Declaration, unknown, string | number | boolean]>([
    [integer, '7', 7],
    [integer, ' 7 ', 7],
    [integer, '-7', -7],
    [integer, '+7', 7],
    [integer, '1e3', 1_000],
    [integer, '7.0', 7],
    [integer, 7, 7],
    [integer, '9007199254740991', Number.MAX_SAFE_INTEGER],
    [number, '1.5', 1.5],
    [number, '.5', 0.5],
    [number, '1E-2', 0.01],
    [number, -1.5, -1.5],
    [boolean, 'true', true],
    [boolean, 'false', false],
    [boolean, false, false],
    [string, '', ''],
    [string, '7', '7'],
    [string, 'true', 'true'],
    [path, './in', './in'],
    [look, 'web', 'web'],
    // Bounds are inclusive. Bounds of a text apply to its length.
    [{ ...integer, min: 1, max: 9 }, '1', 1],
    [{ ...integer, min: 1, max: 9 }, '9', 9],
    [{ ...string, min: 2, max: 3 }, 'ab', 'ab'],
    [{ ...string, min: 2, max: 3 }, 'abc', 'abc'],
    [{ ...string, pattern: '[a-c]+' }, 'abc', 'abc'],
    [{ ...string, pattern: 'a|bc' }, 'bc', 'bc'],
  ])('a value for %j from %j is %j', (declaration, raw, value) => {
    expect(validateValue(raw, Parameter.parse(declaration))).toEqual({ value });
  });

  test.each<[Declaration, unknown, string]>([
    [integer, '1.5', '"1.5" is not a whole number'],
    [integer, '9007199254740992', '"9007199254740992" is not a whole number'],
    [integer, 1.5, '1.5 is not a whole number'],
    [integer, '', '"" is not a number'],
    [integer, '1,000', '"1,000" is not a number'],
    [integer, '0x10', '"0x10" is not a number'],
    [integer, '1.2.3', '"1.2.3" is not a number'],
    [integer, 'Infinity', '"Infinity" is not a number'],
    [number, '1e999', '"1e999" is not a number'],
    [number, true, 'true is not a number'],
    [number, null, 'null is not a number'],
    [number, [1], '[1] is not a number'],
    [boolean, 'yes', '"yes" is neither true nor false'],
    [boolean, 'True', '"True" is neither true nor false'],
    [boolean, 1, '1 is neither true nor false'],
    [string, 7, '7 is not text'],
    [string, undefined, 'undefined is not text'],
    [string, 'a\0b', '"a\\u0000b" contains a NUL character'],
    [path, '', '"" is empty'],
    [look, 'Web', '"Web" is not one of web, print'],
    [look, '', '"" is not one of web, print'],
    [{ ...integer, min: 1 }, '0', '"0" is below the minimum of 1'],
    [{ ...number, max: 1.5 }, '1.6', '"1.6" is above the maximum of 1.5'],
    [{ ...string, min: 2 }, 'a', '"a" is below the minimum of 2 characters'],
    [{ ...string, max: 2 }, 'abc', '"abc" is above the maximum of 2 characters'],
    // A pattern must match the whole value, also for alternatives.
    [{ ...string, pattern: 'a+' }, 'aab', '"aab" does not match a+'],
    [{ ...string, pattern: 'a|b' }, 'ab', '"ab" does not match a|b'],
  ])('a value for %j may not be %j: %s', (declaration, raw, reason) => {
    expect(validateValue(raw, Parameter.parse(declaration))).toEqual({ reason });
  });

  test('a refused value is shown in at most sixty characters', () => {
    const judged = validateValue('x'.repeat(100), Parameter.parse({ ...string, max: 2 }));
    const shown = `"${'x'.repeat(56)}…"`;
    expect(judged).toEqual({ reason: `${shown} is above the maximum of 2 characters` });
  });
});

test.each<[Declaration, string | number | boolean]>([
  [integer, 1],
  [{ ...integer, min: 5 }, 5],
  [boolean, true],
  [look, 'web'],
  [path, '/'],
  [string, 'x'],
])('without a value, %j is checked with the placeholder %j', (declaration, value) => {
  expect(placeholderOf(Parameter.parse(declaration))).toBe(value);
});
