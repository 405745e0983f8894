import { expect, test } from 'vitest';
import { createPaint, isColorUsed } from '../../src/cli/color.ts';

test.each<[boolean, Record<string, string>, boolean]>([
  [true, {}, true],
  [false, {}, false],
  [true, { NO_COLOR: '1' }, false],
  [true, { NO_COLOR: '' }, true],
  [true, { TERM: 'dumb' }, false],
  [false, { FORCE_COLOR: '1' }, true],
  [false, { FORCE_COLOR: '' }, true],
  [true, { FORCE_COLOR: '0' }, false],
  [true, { FORCE_COLOR: 'false' }, false],
  [false, { FORCE_COLOR: '1', NO_COLOR: '1' }, true],
])('a stream with isTTY %s and the variables %o uses colours: %s', (isTTY, env, expected) => {
  expect(isColorUsed({ isTTY }, env)).toBe(expected);
  expect(createPaint({ isTTY }, env)('red', 'x') !== 'x').toBe(expected);
});
