import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endOfText } from '../../src/temporal/server/end-of-text.ts';

const lines = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 60 });

test('short output is kept whole', () => {
  expect(endOfText('first\nsecond\n', 100)).toBe('first\nsecond\n');
});

test('the end is the last complete lines within the limit, however the output is split', () => {
  fc.assert(
    fc.property(lines, fc.array(fc.nat(40), { maxLength: 40 }), (words, cuts) => {
      const whole = words.map((word) => `${word}\n`).join('');
      const limit = 50;
      let end = '';
      let rest = whole;
      for (const cut of cuts) {
        end = endOfText(end + rest.slice(0, cut), limit);
        rest = rest.slice(cut);
      }
      end = endOfText(end + rest, limit);
      expect(end.length).toBeLessThanOrEqual(limit);
      expect(whole.endsWith(end)).toBe(true);
      if (whole.length <= limit) expect(end).toBe(whole);
      const before = whole.slice(0, whole.length - end.length);
      expect(before === '' || before.endsWith('\n')).toBe(true);
    }),
  );
});

test('a truncated line is omitted, even if no output follows', () => {
  expect(endOfText('first line\nsecond line\nlast\n', 10)).toBe('last\n');
});
