// A fix as part of other text. A command at its end can be copied as it is.
import { expect, it } from 'vitest';
import { formatFix } from '../../src/plan/helpers/format-fix.ts';

it.each([
  ['Copy the file again', ['  Copy the file again.']],
  ['Run `renderline approve RUN`', ['  Run `renderline approve RUN`.']],
  ['Start new records: renderline resume r-1 --new-records', null],
  ['Raise the limit: ulimit -n 8192', null],
  ['Delete its file, then renderline apply DIR --prune', null],
  ['Check the source.', null],
  [
    'Cancel it: renderline cancel r-1. Then mount it',
    ['  Cancel it: renderline cancel r-1. Then mount it.'],
  ],
  ['Start a worker: renderline worker\nOr cancel the run: renderline cancel r-1', null],
])('%s', (fix, lines) => {
  expect(formatFix(fix, '  ')).toEqual(lines ?? [`  ${fix}`]);
});

it('no fix is no line', () => {
  expect([formatFix(null, ''), formatFix('', '')]).toEqual([[], []]);
});
