import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TextTail } from '../../src/temporal/server/text-tail.ts';

const lines = fc.array(fc.stringMatching(/^[a-z]{0,12}$/), { maxLength: 60 });

test('short output is kept whole', () => {
  const tail = new TextTail(100);
  tail.add(Buffer.from('first\nsec'));
  tail.add(Buffer.from('ond\n'));
  expect(tail.text()).toBe('first\nsecond');
});

test('the tail is the last complete lines within the limit, however the output is split', () => {
  fc.assert(
    fc.property(lines, fc.array(fc.nat(40), { maxLength: 40 }), (words, cuts) => {
      const whole = words.map((word) => `${word}\n`).join('');
      const limit = 50;
      const tail = new TextTail(limit);
      let rest = whole;
      for (const cut of cuts) {
        tail.add(Buffer.from(rest.slice(0, cut)));
        rest = rest.slice(cut);
      }
      tail.add(Buffer.from(rest));
      const text = tail.text();
      expect(text.length).toBeLessThanOrEqual(limit);
      expect(whole.trim().endsWith(text)).toBe(true);
      if (whole.length <= limit) expect(text).toBe(whole.trim());
      const before = whole.trim().slice(0, whole.trim().length - text.length);
      expect(before === '' || text === '' || before.endsWith('\n')).toBe(true);
    }),
  );
});

test('a truncated line is omitted, even if no output follows', () => {
  const tail = new TextTail(10);
  tail.add(Buffer.from('first line\nsecond line\nlast\n'));
  expect(tail.text()).toBe('last');
});
