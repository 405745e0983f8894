// Tests the counts of each of several exports: files by the mark of their delivery, failures by the node.
import { expect, test } from 'vitest';
import { type ExportCounts, ExportTally, formatExport } from '../../src/plan/run/export-tally.ts';
import type { ExportMemo } from '../../src/plan/run/run-memo.ts';

const exports = [
  { node: 'deliver', delivery: 'aa', location: { type: 'local', path: '/out' } },
  { node: 'shop', delivery: 'bb', location: { type: 'local', path: '/shop' } },
];
const file = (delivery: string) => ({
  key: 'k',
  path: 'k.png',
  bytes: 1,
  sha256: 'x',
  width: 1,
  height: 1,
  output: 'o',
  delivery,
});
const failure = { key: 'k', node: 'shop', code: 'X', message: '', attempts: 1 };

function countExports(
  memo: readonly ExportMemo[] | undefined,
  assets: readonly Parameters<ExportTally['add']>[0][],
): ExportCounts[] {
  const tally = new ExportTally(memo);
  for (const asset of assets) tally.add(asset);
  return tally.counts;
}

test('an asset that failed in one export still counts for the exports that delivered it', () => {
  const ended = [
    { files: [file('aa'), file('bb')], failure: null, platformIds: {} },
    { files: [], failure, platformIds: { delivered: [file('aa')] } },
  ];
  const counts = countExports(exports, ended);
  expect(counts).toEqual([
    { node: 'deliver', destination: '/out', files: 2, failed: 0 },
    { node: 'shop', destination: '/shop', files: 1, failed: 1 },
  ]);
  expect(counts.map(formatExport)).toEqual(['2 files in /out', '1 file in /shop, 1 asset failed']);
});

test.each([
  ['delivered an asset again after another export had failed', 'aa'],
  ['delivered it again under the name of a changed row', 'aa.row1'],
])('an export that %s counts the file once', (_what, before) => {
  const again = { files: [file('aa'), file('bb')], failure: null };
  const counts = countExports(exports, [{ ...again, platformIds: { delivered: [file(before)] } }]);
  expect(counts.map(({ files }) => files)).toEqual([1, 1]);
});

test('a pipeline with one export has no counts by export', () => {
  expect(countExports(undefined, [])).toEqual([]);
});
