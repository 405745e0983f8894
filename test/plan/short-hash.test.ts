import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shortHashOf } from '../../src/plan/helpers/short-hash.ts';

it('a hash is short, and differs for different strings', () => {
  const texts = Array.from({ length: 100_000 }, (_, at) => `model-${at} 2026-03-01T10:00:00.000Z`);
  const hashes = new Set(texts.map(shortHashOf));
  expect(hashes.size).toBe(texts.length);
  expect(
    Math.max(...texts.slice(0, 10_000).map((text) => shortHashOf(text).length)),
  ).toBeLessThanOrEqual(11);
});

it.each([
  ['', 'wvjl67o803'],
  ['a', '262p94epp1d'],
  ['model-1 2026-03-01T10:00:00.000Z', 'egx4p1c7qr'],
])('the hash of %j does not change, since open workflows store it', (text, hash) => {
  expect(shortHashOf(text)).toBe(hash);
});

it('any string has a hash', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(shortHashOf(text)).toMatch(/^[0-9a-z]{1,11}$/);
      expect(shortHashOf(text)).toBe(shortHashOf(text));
    }),
  );
});
