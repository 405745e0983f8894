// Failures of a chain of reruns: which of them have been repaired since.
import { expect, it, vi } from 'vitest';
import { RepairedFailures } from '../../../src/app/report/repaired-failures.ts';
import { openConnector } from '../../../src/connectors/index.ts';
import type { RunMemo } from '../../../src/plan/run/run-memo.ts';
import { Records } from '../../../src/store/records/records.ts';
import { folderWith } from '../../cli/_folder.ts';
import { recipe, sourceOf, storeOn } from '../../store/_store.ts';

it('the record of an asset that failed in many runs is read once', async () => {
  const location = { type: 'local', path: folderWith({}) };
  const { records } = storeOn(openConnector(location), 'last');
  const delivery = { recipe, platformIds: {}, files: [], run: 'last', lineage: 'first' };
  for (const [key, finishedAt] of [
    ['boot', '2026-03-01T12:00:00.000Z'],
    ['shoe', '2026-03-01T10:00:00.000Z'],
  ] as const) {
    await records.write({ key, source: sourceOf(key), finishedAt, ...delivery });
  }
  const memo = { pipeline: 'shoes', records: location } as unknown as RunMemo;
  const failures = ['boot', 'shoe', 'sock'].map((key) => ({ key }));
  const repaired = new RepairedFailures(new AbortController().signal);
  const read = vi.spyOn(Records.prototype, 'read');

  const found: string[][] = [];
  for (const hour of [13, 11, 9]) {
    const startedAtMs = Date.UTC(2026, 2, 1, hour);
    const keys = await repaired.keysOf({ run: `at-${hour}`, memo, startedAtMs }, failures);
    found.push([...keys]);
  }

  expect(found).toEqual([[], ['boot'], ['boot', 'shoe']]);
  expect(read).toHaveBeenCalledTimes(2);
  read.mockRestore();
});

it.each([
  ['a refused file is repaired by the delivery of its asset', 'men/boot.glb', ['men/boot.glb']],
  ['a file of the same name but another format is not', 'men/boot.obj', []],
])('%s', async (_what, label, expected) => {
  const location = { type: 'local', path: folderWith({}) };
  const { records } = storeOn(openConnector(location), 'last');
  const delivery = { recipe, platformIds: {}, files: [], run: 'last', lineage: 'first' };
  const source = { ...sourceOf('men/boot'), path: 'men/boot.glb' };
  const finishedAt = '2026-03-01T12:00:00.000Z';
  await records.write({ key: 'men/boot', source, finishedAt, ...delivery });
  const memo = { pipeline: 'shoes', records: location } as unknown as RunMemo;
  const repaired = new RepairedFailures(new AbortController().signal);
  const keys = await repaired.keysOf({ run: 'first', memo, startedAtMs: 0 }, [{ key: label }]);
  expect([...keys]).toEqual(expected);
});
