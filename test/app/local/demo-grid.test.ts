// The contact sheet of a colorway grid: the result of each cell, in this run or an earlier one.
import { expect, test } from 'vitest';
import {
  createGridItems,
  type GridSheetInput,
  readEarlierFiles,
} from '../../../src/app/local/demo-sheet.ts';
import type { DeliveredFile } from '../../../src/plan/types.ts';
import type { DiscoveredAssets } from '../../../src/store/discovery/discover.ts';
import type { AssetRecord } from '../../../src/store/records/records.ts';
import { colorway, inCell, view } from '../../plan/_cells.ts';

const key = 'living/chair@Oak';
const source = inCell({}, 'living/chair', colorway('Oak'));
const cell = { model: 'living/chair', column: 'Oak' };

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
  earlierFiles: new Map(),
};
const ended = (outcome: 'complete' | 'cancelled' | 'skipped', files: DeliveredFile[] = []) => ({
  finalized: [{ key, outcome, files }],
});
const failure = { node: 'shots', code: 'RENDER_FAILED', message: 'no light', attempts: 3 };
const front = 'living/chair@Oak@front';

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
  [
    'a named view',
    {
      assets: [{ key: front, source: inCell({}, 'living/chair', colorway('Oak'), view('front')) }],
      finalized: [{ key: front, outcome: 'complete', files: [file('a.png')] }],
    },
    [{ key: front, caption: 'front', cell }],
  ],
  [
    'failed',
    { failures: [{ key, ...failure }] },
    [{ path: null, failed: 'RENDER_FAILED: no light', cell }],
  ],
  [
    'failed at one export after another had delivered',
    {
      finalized: [{ key, outcome: 'failed', files: [file('a.png')] }],
      failures: [{ key, ...failure }],
    },
    [
      { path: null, failed: 'RENDER_FAILED: no light', cell },
      { path: '/pictures/a.png', caption: '', cell },
    ],
  ],
  ['cancelled', ended('cancelled'), [{ path: null, missing: 'cancelled', cell }]],
  ['skipped', ended('skipped'), [{ missing: 'skipped', cell }]],
  ['complete without a file', ended('complete'), [{ missing: 'no picture was delivered', cell }]],
  ['not finished', {}, [{ path: null, missing: 'not done', cell }]],
  [
    'unchanged since an earlier run',
    { earlierFiles: new Map([[key, [file('a.png')]]]) },
    [{ path: '/pictures/a.png', caption: 'from an earlier run', cell }],
  ],
  [
    'unchanged, but no longer has a record',
    { earlierFiles: new Map([[key, []]]) },
    [{ path: null, missing: 'done by an earlier run' }],
  ],
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

test('files of earlier runs are read for unchanged assets that this run did not process', async () => {
  const read: string[] = [];
  const records = {
    async read(name: string): Promise<AssetRecord | null> {
      read.push(name);
      return null;
    },
  };
  const source = { path: 'a.glb', bytes: 1, mtimeMs: 1, version: '1' };
  const record = (name: string) => ({ name, older: [], key: name, version: '', recipe: '' });
  const standings: DiscoveredAssets['classified'] = [
    { key: 'taken', source, status: { reason: 'unchanged', record: record('r1') } },
    { key: 'kept', source, status: { reason: 'unchanged', record: record('r2') } },
    { key: 'failed', source, status: { reason: 'retry', record: null } },
  ];
  const files = await readEarlierFiles(records, standings, [{ key: 'taken' }]);
  expect([[...files.keys()], read]).toEqual([['kept'], ['r2']]);
});
