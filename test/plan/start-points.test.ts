// Tests the stages at which partly reused assets begin: counted by stage and cause, with one line of text each.
import { expect, test } from 'vitest';
import { countStartPoints, formatStartPoints } from '../../src/plan/run/start-points.ts';

test('assets are counted by stage and cause, over all pages of a listing', () => {
  const first = countStartPoints([
    { startStage: 'delivery' },
    null,
    { startStage: 'render', olderThan: '90d' },
  ]);
  const begins = countStartPoints(
    [
      { startStage: 'delivery' },
      { startStage: 'render' },
      { startStage: 'delivery', isMoved: true },
    ],
    first,
  );
  expect(begins).toEqual([
    { startStage: 'delivery', assets: 2 },
    { startStage: 'render', olderThan: '90d', assets: 1 },
    { startStage: 'render', assets: 1 },
    { startStage: 'delivery', isMoved: true, assets: 1 },
  ]);
  expect(first[0]).toEqual({ startStage: 'delivery', assets: 1 });
  expect(formatStartPoints(begins, 'file')).toEqual([
    '2 files begin with the delivery: nothing is rendered (names, destinations or properties changed)',
    'older than 90d: 1 file begins with the render',
    '1 file begins with the render; the project is reused (settings changed)',
    '1 file that was moved begins with the delivery: nothing is rendered',
  ]);
});
