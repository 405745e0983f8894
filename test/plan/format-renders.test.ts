// Numbers of renders, as plans and previews print them: a bound is never printed as an exact number.
import { expect, test } from 'vitest';
import { formatRenders, sumRenders } from '../../src/plan/helpers/format-renders.ts';

test.each([
  [{ renders: 1, max: false }, '1 job'],
  [{ renders: 1_000, max: true }, 'at most 1,000 jobs'],
  [
    { renders: 36, max: false, min: true as const },
    'at least 36 renders (each variant of a production file is a render)',
  ],
  [
    { renders: 1, max: true, min: true as const },
    'about 1 render (each variant of a production file is a render)',
  ],
])('%j is printed as `%s`', (needed, text) => {
  expect(formatRenders(needed, 'job')).toBe(text);
});

test('a sum is a bound if one of its numbers is', () => {
  const exact = { renders: 2, max: false };
  expect(sumRenders([exact, exact])).toEqual({ renders: 4, max: false, min: undefined });
  expect(sumRenders([exact, { renders: 3, max: true }, { ...exact, min: true }])).toEqual({
    renders: 7,
    max: true,
    min: true,
  });
});
