import { describe, expect, test } from 'vitest';
import { type RunShape, sumRequests, zeroAssetCounts } from '../../../src/app/runs/run-shape.ts';
import { summarizeRun } from '../../../src/cli/runs/run-summary.ts';
import { groupFailures } from '../../../src/features/failure-groups.ts';
import { explainFailure } from '../../../src/features/failures.ts';
import { renderFailures } from '../../../src/features/renders/failures.ts';
import { formatCount } from '../../../src/plan/helpers/format-count.ts';
import { formatSeconds } from '../../../src/plan/helpers/format-seconds.ts';
import { sumPaid } from '../../../src/plan/run/paid-work.ts';

const nowMs = Date.parse('2026-11-28T22:44:00.000Z');
const plain = (_format: unknown, text: string) => text;

function failure(key: string, code: string, node = 'shoot') {
  return explainFailure({ key, node, code, message: `${code} happened`, attempts: 1 });
}

function shape(change: Partial<RunShape> = {}): RunShape {
  return {
    schema: 'renderline/run/v1',
    run: 'catalog-20261121-090507-ab01',
    pipeline: 'catalog',
    rerun: null,
    outcome: 'complete',
    cause: null,
    canary: null,
    inFlight: null,
    waits: [],
    destination: '/out',
    unknown: null,
    discovered: true,
    verified: null,
    startPoints: [],
    exports: [],
    assets: { ...zeroAssetCounts, total: 2, complete: 2 },
    files: [
      {
        key: 'a',
        path: 'a.png',
        bytes: 1,
        sha256: 'x',
        width: 1,
        height: 1,
        output: 'o',
        delivery: 'd',
      },
    ],
    withdrawn: null,
    deleted: [],
    failures: [],
    warnings: [],
    requests: sumRequests({ createJob: 1, getJob: 2 }),
    paid: { ...sumPaid([]), renders: 2, models: 2 },
    historyEvents: 40,
    seconds: 12.34,
    ...change,
  };
}

describe('failures by cause', () => {
  test('failures with the same code at the same node are one group, and the largest group comes first', () => {
    const groups = groupFailures([
      failure('a', 'TRUNCATED', 'take'),
      failure('b', 'RENDER_FAILED'),
      failure('c', 'RENDER_FAILED'),
      failure('d', 'RENDER_FAILED', 'again'),
      failure('e', 'RENDER_FAILED'),
      failure('f', 'RENDER_FAILED'),
    ]);
    expect(groups.map(({ code, node, count: n, keys }) => [code, node, n, keys])).toEqual([
      ['RENDER_FAILED', 'shoot', 4, ['b', 'c', 'e', 'f']],
      ['TRUNCATED', 'take', 1, ['a']],
      ['RENDER_FAILED', 'again', 1, ['d']],
    ]);
  });

  test('failures with similar codes and nodes are not mixed', () => {
    expect(groupFailures([failure('a', 'X', 'Y Z'), failure('b', 'X Y', 'Z')])).toHaveLength(2);
  });
});

describe('summary', () => {
  test('the summary of a complete run contains assets, payments, cost and files', () => {
    expect(summarizeRun(shape(), nowMs, plain).split('\n')).toEqual([
      'catalog-20261121-090507-ab01  complete',
      '  assets    2 of 2 complete',
      '  paid      2 renders, 2 models',
      '  cost      3 API requests, 40 history events, 12.3 s',
      '  files     1 in /out',
    ]);
  });

  test('the summary of a run with several exports contains every destination', () => {
    const lines = summarizeRun(
      shape({ extraDestinations: ['s3://media', '/b'] }),
      nowMs,
      plain,
    ).split('\n');
    expect(lines.at(-1)).toBe('  files     1 in /out and s3://media and /b');
  });

  test('the summary of a run contains the deleted resources of earlier versions', () => {
    const deleted = [
      { key: 'a', kind: 'project', id: 'p1' },
      { key: 'a', kind: 'model', id: 'm1' },
      { key: 'b', kind: 'model', id: 'm2' },
    ] as const;
    expect(summarizeRun(shape({ deleted: [...deleted] }), nowMs, plain)).toContain(
      '  deleted   1 project, 2 models of earlier versions',
    );
  });

  test('the summary of a partial failure contains causes, first keys and the next command', () => {
    const failures = ['a', 'b', 'c', 'd'].map((key) => failure(key, 'RENDER_FAILED'));
    const text = summarizeRun(shape({ outcome: 'partial_failure', failures }), nowMs, plain);
    expect(text).toContain('partial failure');
    expect(text).toContain('RENDER_FAILED at shoot: 4 assets (a, b, c and 1 more)');
    expect(text).toContain('    RENDER_FAILED happened');
    expect(text).toContain(`    ${renderFailures.RENDER_FAILED.fix}`);
    expect(text).toContain('renderline failures catalog-20261121-090507-ab01');
    expect(text).toContain('renderline rerun catalog-20261121-090507-ab01 --failed');
  });

  test.each([
    [0, 0, 'nothing to do: there are no assets'],
    [2, 2, 'nothing to do: no asset is new or changed'],
    // An asset that was skipped for another reason does not count as nothing to do.
    [2, 1, 'files'],
  ])('the summary of %i assets, %i of them unchanged, contains: %s', (total, unchanged, said) => {
    const assets = { ...zeroAssetCounts, total, skipped: total, unchanged };
    const text = summarizeRun(
      shape({ assets, requests: sumRequests({ listModels: 1 }) }),
      nowMs,
      plain,
    );
    expect(text).toContain(said);
    expect(text.includes('nothing to do')).toBe(total === unchanged);
  });

  test.each([
    ['cancelled', true, 'assets    2 of 90 complete, 88 cancelled'],
    ['cancelled', false, 'assets    unknown: the run ended before it had discovered them'],
    ['running', false, 'assets    being discovered'],
  ] as const)(
    'the summary of a run that is %s, with its assets discovered: %s, contains "%s"',
    (outcome, discovered, said) => {
      const assets = discovered
        ? { ...zeroAssetCounts, total: 90, complete: 2, cancelled: 88 }
        : { ...zeroAssetCounts };
      expect(summarizeRun(shape({ outcome, discovered, assets }), nowMs, plain)).toContain(said);
    },
  );

  test.each([
    [{}, 'verified  6 files read, 1,030 bytes: all unchanged'],
    [
      { sources: 1, outputs: 2, unknown: 3 },
      'read, 1,030 bytes: 1 source with changed content, 2 assets to be delivered again, 3 sources hashed for the first time',
    ],
  ])('the summary of a verified run contains the changes %o', (change, said) => {
    const none = { assets: 3, files: 6, bytes: 1_030, sources: 0, outputs: 0, unknown: 0 };
    expect(summarizeRun(shape({ verified: { ...none, ...change } }), nowMs, plain)).toContain(said);
  });

  test('the summary of a stopped run contains its cause before the failures', () => {
    const cause = {
      code: 'TOO_MANY_FAILURES',
      message: '9 failed',
      fix: 'Mend it',
      kind: 'never',
    } as const;
    const failures = [failure('a', 'TRUNCATED')];
    const lines = summarizeRun(shape({ outcome: 'failed', cause, failures }), nowMs, plain).split(
      '\n',
    );
    expect(lines.slice(5, 9)).toEqual(['', 'TOO_MANY_FAILURES: 9 failed', 'Mend it.', '']);
    expect(lines[9]).toBe('Failed, by cause:');
  });

  test.each([
    ['INVALID_API_KEY', ['Resume it: renderline resume RUN', 'Cancel it: renderline cancel RUN']],
    ['ALL_PAUSED', []],
    ['CANARY_WAITING', []],
  ])('a run that is paused by %s names the commands that the fix lacks', (code, commands) => {
    const cause = { code, kind: 'auth' as const, message: 'no', title: 'T', fix: 'F' };
    const text = summarizeRun(shape({ run: 'RUN', outcome: 'paused', cause }), nowMs, plain);
    expect(text.split('\n').slice(-2 - commands.length)).toEqual([
      `${code}: no`,
      'F.',
      ...commands,
    ]);
  });

  test('large numbers have separators, and nothing is said of a next shard unless it has to wait', () => {
    const assets = { ...zeroAssetCounts, total: 2_000, complete: 1_985 };
    const inFlight = { assets: 1_870, max: 25_000, heldBy: 'nothing' as const };
    const text = summarizeRun(shape({ outcome: 'paused', assets, inFlight }), nowMs, plain);
    expect(text).toContain('  assets    1,985 of 2,000 complete\n');
    expect(text).toContain('  now       1,870 of at most 25,000 assets in flight\n');
  });

  test('the failure of a whole shard is not counted as that of one asset', () => {
    const failures = [
      failure('catalog-1/shard-0001', 'SHARD_FAILED', ''),
      failure('catalog-1/shard-0002', 'SHARD_FAILED', ''),
      failure('glass/shard-0001', 'TRUNCATED'),
    ];
    const text = summarizeRun(shape({ outcome: 'failed', failures }), nowMs, plain);
    expect(text).toContain('  SHARD_FAILED: 2 shards (catalog-1/shard-0001, catalog-1/shard-0002)');
    expect(text).toContain('  TRUNCATED at shoot: 1 asset (glass/shard-0001)');
  });

  test.each([
    ['a person to approve', true],
    ['the platform to render', false],
  ])(
    'the summary of a run that waits for %s contains the command to decide: %j',
    (whom, isNamed) => {
      const waits = [{ step: 'look', assets: 2, since: '2026-11-28T22:40:00.000Z', for: whom }];
      const text = summarizeRun(shape({ outcome: 'running', waits }), nowMs, plain);
      expect(text).toContain(`2 are waiting for ${whom}, 4 min so far`);
      expect(text.includes('renderline approve ')).toBe(isNamed);
    },
  );

  test('the summary of a run that is paused by a person contains its open approval', () => {
    const canary = { assets: 5, state: 'waiting', until: '2026-11-28T22:40:59.000Z' } as const;
    const words = 'The run also waits for approval until 2026-11-28 22:40 UTC.';
    expect(summarizeRun(shape({ outcome: 'paused', canary }), nowMs, plain)).toContain(words);
    const cause = { code: 'CANARY_WAITING', message: 'm', fix: 'f', kind: 'later' } as const;
    expect(summarizeRun(shape({ outcome: 'paused', canary, cause }), nowMs, plain)).not.toContain(
      'also',
    );
  });

  test('the summary of a run with many causes is truncated', () => {
    const failures = Array.from({ length: 15 }, (_, index) => failure('k', `CODE_${index}`));
    expect(summarizeRun(shape({ failures }), nowMs, plain)).toContain('and 3 more causes');
  });

  test.each([
    [0, 'asset', '0 assets'],
    [1, 'asset', '1 asset'],
    [20_000, 'asset', '20,000 assets'],
  ])('%d of "%s" is shown as "%s"', (number, noun, expected) => {
    expect(formatCount(number, noun)).toBe(expected);
  });

  test.each([
    [0.04, '0 s'],
    [12.34, '12.3 s'],
    [60, '1 min 0 s'],
    [119.7, '2 min 0 s'],
    [3600, '1 h 0 min'],
    [5025, '1 h 23 min'],
  ])('%d seconds are shown as "%s"', (seconds, expected) => {
    expect(formatSeconds(seconds)).toBe(expected);
  });
});
