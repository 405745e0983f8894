// The result of a run, and the failure that it closes with.
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import type { RunInput } from '../../src/plan/contract/contract.ts';
import type { RunCause } from '../../src/plan/run/run-cause.ts';
import type { Totals } from '../../src/plan/shard/totals.ts';
import type { Failure } from '../../src/plan/types.ts';
import { failureOf, resultOf } from '../../workflows/run/run-result.ts';
import { RunTotals } from '../../workflows/run/run-totals.ts';
import { planOf, withNodes } from '../compile/_compile.ts';
import { failure } from '../plan/_steps.ts';

const startedAtMs = Date.UTC(2026, 10, 23, 14);
const plan = planOf(withNodes('{ id: ready, type: model_ready, parentIds: [take], config: {} }'));
const input: RunInput = { plan, run: 'r-1', lineage: 'l', epoch: 1, searchable: false };
const discovery = { pages: 1, total: 9, new: 3, changed: 2, unchanged: 4, refused: 0 };
const stop: RunCause = { code: 'UNAUTHORIZED', message: 'no key', fix: 'Add it', kind: 'auth' };

interface Given {
  totals?: Totals;
  failures?: Failure[];
  stopped?: RunCause;
  warnings?: { key: string; message: string }[];
  taken?: { run: string; assets: number; elsewhere?: true }[];
}

function ended({ totals, failures = [], stopped, warnings, taken = [] }: Given) {
  const books = new RunTotals(undefined, startedAtMs);
  books.addFinishedShard({
    shard: 0,
    totals: totals ?? { total: 5, complete: 5, failed: 0, skipped: 0 },
    steps: {},
    failures,
    failedModels: [],
    requests: { getModel: 3 },
    historyEvents: 12,
    takenByOtherRuns: taken,
  });
  return resultOf(input, {
    outcome: 'failed',
    sums: books.carried,
    discovery: { ...discovery, ...(warnings ? { warnings } : {}) },
    stopped: stopped ?? null,
    unwritten: [],
    historyEvents: 40,
  });
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: startedAtMs + 12_345 });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a result', () => {
  it('a result contains totals, discovery counts, requests, history events of all executions, and seconds to one decimal', () => {
    expect(ended({})).toEqual({
      run: 'r-1',
      pipeline: 'test',
      outcome: 'failed',
      assets: { total: 5, complete: 5, failed: 0, skipped: 0, new: 3, changed: 2, unchanged: 4 },
      failures: [],
      requests: { getModel: 3 },
      historyEvents: 40,
      startedAtMs,
      seconds: 12.3,
    });
  });

  it('a result contains a `cause` only if the run was stopped', () => {
    expect(ended({ stopped: stop }).cause).toEqual(stop);
    expect('cause' in ended({})).toBe(false);
  });

  const left = 'left to this run, which is processing';
  const elsewhere =
    'held by this run of another Temporal server, which cannot be queried from here; once you are sure that it has ended: renderline run FILE --take-over 1h';
  test.each([
    [{ run: 'r-0', assets: 1 }, `an asset is ${left} it or has just delivered it`],
    [{ run: 'r-0', assets: 2 }, `2 assets are ${left} them or has just delivered them`],
    [{ run: 'r-0', assets: 1, elsewhere: true as const }, `an asset is ${elsewhere}`],
    [{ run: 'r-0', assets: 30, elsewhere: true as const }, `30 assets are ${elsewhere}`],
  ])('a result warns about assets that another run holds: %j', (one, message) => {
    expect(ended({ taken: [one] }).warnings).toEqual([{ key: 'r-0', message }]);
  });

  it('a result lists the warnings of its discovery first', () => {
    const warnings = [{ key: 'take', message: 'a folder is empty' }];
    const keys = ended({ warnings, taken: [{ run: 'r-0', assets: 1 }] }).warnings;
    expect(keys?.map(({ key }) => key)).toEqual(['take', 'r-0']);
    expect('warnings' in ended({ warnings: [] })).toBe(false);
  });
});

describe('the failure that a run closes with', () => {
  const totals = { total: 9, complete: 0, failed: 9, skipped: 0 };
  const failures = [failure('a.glb', 'ready'), failure('b.glb', 'ready')];

  it.each<[string, Given, string]>([
    ['states its cause', { totals, failures, stopped: stop }, 'UNAUTHORIZED: no key'],
    [
      'states its first failure if it has no cause',
      { totals, failures },
      '9 of 9 assets failed; the first: a.glb: BROKEN: BROKEN it is',
    ],
    [
      'states only the number of failed assets if no failure is known',
      { totals },
      '9 of 9 assets failed',
    ],
  ])('the failure that a run closes with %s', (_, given, message) => {
    const result = ended(given);
    expect(failureOf(result)).toMatchObject({
      message,
      type: 'RunFailed',
      nonRetryable: true,
      details: [result],
    });
  });

  it('the failure that a run closes with has at most 1,000 characters', () => {
    const long = { ...failure('a', 'ready'), message: 'x'.repeat(2_000) };
    expect(failureOf(ended({ totals, failures: [long] })).message).toHaveLength(1_000);
  });
});
