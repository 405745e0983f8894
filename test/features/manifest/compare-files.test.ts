// What has changed between the files of two manifests.
import { describe, expect, test } from 'vitest';
import { FileComparison } from '../../../src/features/delivery/manifest/compare-files.ts';
import type { PublishedAsset } from '../../../src/store/runs/publications/publications.ts';

/** Each file is `path content cell`. The first letter of the content is the output that the file shows. */
function listed(assets: Record<string, string[]>): PublishedAsset[] {
  return Object.entries(assets).map(([name, files]) => ({
    name,
    files: files.map((file) => {
      const [path = '', sha256 = '', cell = ''] = file.split(' ');
      return { path, sha256, shows: sha256.slice(0, 1), cells: [cell] };
    }),
  }));
}

async function changesBetween(
  before: Record<string, string[]>,
  now: Record<string, string[]>,
): Promise<string[]> {
  const found: string[] = [];
  async function* earlier() {
    yield* listed(before);
  }
  const comparison = new FileComparison(
    earlier(),
    async ({ change, path, previousFile, cells }) => {
      found.push([change, path, previousFile ?? '', cells[0] ?? ''].join(' ').trim());
    },
  );
  for (const asset of listed(now)) await comparison.add(asset);
  await comparison.finish();
  return found.sort();
}

const cases: [
  what: string,
  before: Record<string, string[]>,
  now: Record<string, string[]>,
  changes: string[],
][] = [
  ['the first manifest', {}, { a: ['a.png A1 x'] }, ['added a.png  x']],
  ['the same list', { a: ['a.png A1'] }, { a: ['a.png A1'] }, []],
  ['changed content', { a: ['a.png A1'] }, { a: ['a.png B1'] }, ['replaced a.png']],
  ['a changed cell', { a: ['a.png A1 x'] }, { a: ['a.png A1 y'] }, ['updated a.png  y']],
  ['a changed name', { a: ['a.png A1'] }, { a: ['b.png A1'] }, ['renamed b.png a.png']],
  [
    'a changed name and content',
    { a: ['a.png A1'] },
    { a: ['b.png B1'] },
    ['added b.png', 'removed a.png'],
  ],
  ['a file that now belongs to another asset', { a: ['x.png A1'] }, { b: ['x.png A1'] }, []],
  [
    'a path that now belongs to another asset, with other content',
    { a: ['x.png A1'] },
    { b: ['x.png B1'] },
    ['replaced x.png'],
  ],
  ['an asset under another key', { b: ['b.png A1'] }, { a: ['a.png A1'] }, ['renamed a.png b.png']],
  [
    'swapped names',
    { a: ['1.png A1', '2.png B1'] },
    { a: ['1.png B1', '2.png A1'] },
    ['replaced 1.png', 'replaced 2.png'],
  ],
  [
    'a new asset before all others',
    { b: ['b.png B1'] },
    { a: ['a.png A1'], b: ['b.png B1'] },
    ['added a.png'],
  ],
  [
    'a new asset after all others',
    { b: ['b.png B1'] },
    { b: ['b.png B1'], c: ['c.png C1'] },
    ['added c.png'],
  ],
  [
    'a removed asset',
    { a: ['a.png A1 x'], b: ['b.png B1'] },
    { b: ['b.png B1'] },
    ['removed a.png  x'],
  ],
  ['a list that has become empty', { a: ['a.png A1'] }, {}, ['removed a.png']],
  [
    'a key that starts with another key',
    { 'a-b': ['1.png A1'], a: ['2.png B1'] },
    { 'a-b': ['1.png A1'], a: ['2.png B1'], a0: ['3.png C1'] },
    ['added 3.png'],
  ],
];

describe('the changes between two manifests', () => {
  test.each(cases)(
    'the changes between two manifests are listed for %s',
    async (_, before, now, changes) => {
      const order = (assets: Record<string, string[]>) =>
        Object.fromEntries(
          Object.entries(assets).sort(([one], [other]) => (`${one}@` < `${other}@` ? -1 : 1)),
        );
      expect(await changesBetween(order(before), order(now))).toEqual(changes);
    },
  );
});
