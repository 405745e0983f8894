// The outputs of a run's report: one entry for each file, each failure and each picture that waits for a decision.
import { expect, test } from 'vitest';
import { buildReport, noPlannedWork, type ReportInput } from '../../src/features/run-report.ts';
import type { FinalizedAsset } from '../../src/plan/contract/contract.ts';
import { readRange } from '../../src/plan/helpers/lazy-list.ts';
import { assetOf, settledAs } from '../store/_store.ts';
import { finishedAssets, report } from './_report.ts';

const size = { bytes: 9, width: 4, height: 3 };
const file = { key: 'chair', path: 'a.png', sha256: 'aa', output: 'o', delivery: 'd', ...size };
const failure = { key: 'chair', node: 'shop', code: 'X', message: 'no', attempts: 1 };
const note = { by: 'anna@studio', at: '2026-11-27T20:00:00.000Z' };
const approved = { outcome: 'approved', ...note } as const;
const rejected = { outcome: 'rejected', ...note } as const;
const heldAs = (path: string) => ({ key: 'chair', path, share: 0.4, node: 'deliver' });
const failedAfter = (...files: (typeof file)[]) => [
  settledAs('failed', assetOf('chair'), { files, failure }),
];

type Facts = Partial<ReportInput> & { finalized?: FinalizedAsset[] };

async function reportOf({ finalized = [], ...facts }: Facts) {
  const times = { startedAtMs: 0, endedAtMs: 1 };
  const none = { file: undefined, failures: [], held: [], requests: {} };
  const finished = await finishedAssets(finalized);
  return buildReport({ ...report(), ...times, ...none, ...noPlannedWork, finished, ...facts });
}

test.each<[string, Facts, object[]]>([
  [
    'a failed asset, and the files that another export delivered for it',
    { finalized: failedAfter(file) },
    [
      { outcome: 'failed', path: null, failure: { code: 'X', node: 'shop' } },
      { outcome: 'complete', path: 'a.png', failure: null },
    ],
  ],
  [
    'a failed asset without a file',
    { finalized: failedAfter() },
    [{ outcome: 'failed', path: null, failure: { code: 'X' } }],
  ],
  [
    'a delivered picture that was approved, and the failure of another export',
    { finalized: failedAfter(file), held: [{ ...heldAs('a.png'), decision: approved }] },
    [
      { path: null, decision: null },
      { path: 'a.png', decision: approved },
    ],
  ],
  [
    'an asset that failed because its picture was rejected',
    { finalized: failedAfter(), held: [{ ...heldAs('a.png'), decision: rejected }] },
    [{ path: null, decision: rejected }],
  ],
  [
    'a waiting picture, after another picture of its asset was approved',
    { endedAtMs: null, held: [{ ...heldAs('a.png'), decision: approved }, heldAs('b.png')] },
    [{ outcome: 'waiting', path: null, waitsFor: 'b.png', decision: null }],
  ],
  [
    'failures of assets and of sources, and files, sorted by key',
    {
      failures: [failure, { ...failure, key: 'armchair' }, { ...failure, key: 'zebra' }],
      finalized: [
        settledAs('complete', assetOf('table'), { files: [{ ...file, key: 'table' }] }),
        ...failedAfter(),
      ],
    },
    [
      { key: 'armchair', path: null },
      { key: 'chair', path: null },
      { key: 'table', path: 'a.png' },
      { key: 'zebra', path: null },
    ],
  ],
])('the outputs contain %s', async (_what, facts, expected) => {
  const { outputs } = await reportOf(facts);
  expect(await readRange(outputs)).toMatchObject(expected);
  expect(outputs.length).toBe(expected.length);
});

test('unknown numbers of requests are not reported as zero', async () => {
  const { requests } = await reportOf({ requests: null, planned: { createJob: 2 } });
  expect(requests).toEqual({
    total: null,
    planned: 2,
    byOperation: [{ operation: 'createJob', sent: null, planned: 2 }],
  });
});
