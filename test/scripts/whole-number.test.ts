// Whole numbers in flags and environment variables of scripts.
import { expect, it } from 'vitest';
import { wholeNumber } from '../../scripts/whole-number.ts';

it.each([
  ['0', 0],
  ['12', 12],
])('the string %s is accepted as a whole number', (text, value) => {
  expect(wholeNumber('--rounds', text, 0, 'usage')).toBe(value);
});

it.each(['', ' ', '-1', '1.5', 'many'])(
  'the string "%s" is refused, with the name and the usage',
  (text) => {
    expect(() => wholeNumber('--rounds', text, 0, 'npm run chaos -- --rounds 20')).toThrow(
      `--rounds must be a whole number of at least 0, not "${text}"\nnpm run chaos -- --rounds 20`,
    );
  },
);
