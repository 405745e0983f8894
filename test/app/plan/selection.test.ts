// Text of a selection, as shown on the terminal and in the Temporal UI.
import { expect, test } from 'vitest';
import { formatSelection } from '../../../src/app/plan/selection.ts';
import type { Selection } from '../../../src/plan/run/selection.ts';

const keys = Array.from({ length: 10_000 }, (_, at) => `k${at}`);

test.each<[string, Selection, string]>([
  ['few keys', { only: ['a', 'b/**'] }, 'only a, b/**'],
  ['very many keys', { only: keys }, 'only k0, k1, k2, k3, k4 and 9,995 more'],
  ['a condition', { where: 'size < 9', force: true }, 'where size < 9; including unchanged'],
])('a selection by %s is shown as text', (_what, selection, words) => {
  expect(formatSelection(selection)).toBe(words);
});
