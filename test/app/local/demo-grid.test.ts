// The contact sheet of a colorway grid: the result of each cell.
import { expect, test } from 'vitest';
import { createGridItems, type GridSheetInput } from '../../../src/app/local/demo-sheet.ts';
import type { DeliveredFile } from '../../../src/plan/types.ts';
import { colorway, inCell } from '../../plan/_cells.ts';

const key = 'living/chair@Oak';
const source = inCell({}, 'living/chair', colorway('Oak'));
const cell = { model: 'living/chair', colorway: 'Oak' };

const file = (path: string): DeliveredFile => ({
  key,
  path,
  bytes: 9,
  sha256: '',
  width: 64,
  height: 36,
  output: 'o',
  delivery: 'd',
});

const facts: GridSheetInput = {
  pictures: '/pictures',
  assets: [{ key, source }],
  finalized: [],
  failures: [],
};
const ended = (outcome: 'complete' | 'cancelled' | 'skipped', files: DeliveredFile[] = []) => ({
  finalized: [{ key, outcome, files }],
});
const failure = { node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 3 };

test.each<[string, Partial<GridSheetInput>, object[]]>([
  [
    'delivered',
    ended('complete', [file('living/chair/Oak/chair.png')]),
    [{ path: '/pictures/living/chair/Oak/chair.png', caption: '', width: 64, height: 36, cell }],
  ],
  [
    'delivered as several files',
    ended('complete', [file('a/front.png'), file('a/left.png')]),
    [{ caption: 'front.png' }, { caption: 'left.png' }],
  ],
  [
    'delivered together with a file that is not a picture',
    ended('complete', [file('a/front.png'), { ...file('a/chair.glb'), width: 0, height: 0 }]),
    [{ path: '/pictures/a/front.png', caption: '', cell }],
  ],
  ['failed', { failures: [{ key, ...failure }] }, [{ failed: 'RENDER_FAILED: no light', cell }]],
  [
    'failed at one export after another had delivered',
    {
      finalized: [{ key, outcome: 'failed', files: [file('a.png')] }],
      failures: [{ key, ...failure }],
    },
    [
      { failed: 'RENDER_FAILED: no light', cell },
      { path: '/pictures/a.png', caption: '', cell },
    ],
  ],
  ['cancelled', ended('cancelled'), [{ missing: 'cancelled', cell }]],
  ['skipped', ended('skipped'), [{ missing: 'skipped', cell }]],
  ['complete without a file', ended('complete'), [{ missing: 'no picture was delivered', cell }]],
  ['not finished', {}, [{ missing: 'not done', cell }]],
  [
    'absent, but has a failure',
    { assets: [], failures: [{ key: 'chiar', ...failure }] },
    [{ key: 'chiar', failed: 'RENDER_FAILED: no light' }],
  ],
])('createGridItems() returns the items of a cell that is %s', (_, change, items) => {
  const made = createGridItems({ ...facts, ...change });
  expect(made).toMatchObject(items);
  expect(made).toHaveLength(items.length);
});
