import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { TypedSearchAttributes, WorkflowNotFoundError } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { readListedRun } from '../../../src/app/runs/listed-run.ts';
import {
  readSnapshot,
  readSnapshotOf,
  runEndOfFailure,
  snapshotOf,
} from '../../../src/app/runs/run-snapshot.ts';
import type { RunResult } from '../../../src/plan/contract/contract.ts';
import type { RunCause } from '../../../src/plan/run/run-cause.ts';

type Info = Parameters<typeof snapshotOf>[0];

function info(status: WorkflowExecutionDescription['status']['name'], change: object = {}): Info {
  return {
    workflowId: 'catalog-1',
    runId: 'e-1',
    taskQueue: 'renderline',
    status: { code: 1, name: status },
    startTime: new Date(1_000),
    historyLength: 2,
    ...change,
  };
}

const asListed = (one: Info) => ({
  ...one,
  type: 'pipelineRun',
  searchAttributes: {},
  typedSearchAttributes: new TypedSearchAttributes(),
  unreadable: null,
});

/** A client that describes these executions; the empty id is the latest one. */
const clientOf = (executions: Record<string, Info>) =>
  // Only these fields are used.
  ({
    options: { loadedDataConverter: { payloadCodecs: [] } },
    withDeadline: (_: number, work: () => unknown) => work(),
    workflow: {
      getHandle: (run: string, id = '') => ({
        describe: async () => {
          const found = executions[id];
          if (found === undefined) throw new WorkflowNotFoundError('gone', run, id);
          return found;
        },
      }),
    },
  }) as unknown as Client;

describe('a snapshot of a run', () => {
  test.each([
    ['RUNNING', 'running'],
    ['CONTINUED_AS_NEW', 'running'],
    ['PAUSED', 'running'],
    ['COMPLETED', 'completed'],
    ['FAILED', 'failed'],
    ['CANCELLED', 'cancelled'],
    ['TERMINATED', 'terminated'],
    ['TIMED_OUT', 'terminated'],
  ] as const)('a snapshot maps %s to %s', (name, status) => {
    expect(snapshotOf(info(name)).status).toBe(status);
  });

  test('a snapshot contains the start, and the end if the run is closed', async () => {
    const times = { startedAtMs: 1_000, endedAtMs: null };
    expect(await readSnapshotOf(clientOf({}), info('RUNNING'))).toMatchObject(times);
    const closed = info('COMPLETED', { closeTime: new Date(3_000) });
    expect(snapshotOf(closed).endedAtMs).toBe(3_000);
  });

  test.each([
    ['has not continued as new', 'e-1', '09:50'],
    ['has continued as new', 'e-0', '09:40'],
    ['has continued as new, although the first execution is gone', 'gone', '02:00'],
  ])(
    'a snapshot contains the start time of a run that was due at 02:00, started late and %s',
    async (_what, firstRunId, time) => {
      const run = 'cat/nightly-2026-11-27T02:00:00Z';
      const latest = info('COMPLETED', {
        workflowId: run,
        type: 'pipelineRun',
        startTime: new Date('2026-11-27T09:50:00Z'),
        closeTime: new Date('2026-11-27T10:00:00Z'),
        raw: { workflowExecutionInfo: { firstRunId } },
      });
      const client = clientOf({
        '': latest,
        'e-1': latest,
        'e-0': { ...latest, startTime: new Date('2026-11-27T09:40:00Z') },
      });
      const startedAt = `2026-11-27T${time}:00.000Z`;
      const startedAtMs = Date.parse(startedAt);
      expect(await readSnapshot(client, run)).toMatchObject({ startedAtMs });
      const seconds = (Date.parse('2026-11-27T10:00:00Z') - startedAtMs) / 1000;
      expect(await readListedRun(client, asListed(latest))).toMatchObject({ startedAt, seconds });
    },
  );

  test.each([
    ['cat-20261127-020000-1bb9', '02:00:00', 28_800],
    ['cat/nightly-2026-11-27T09:49:30Z', '09:50:00', 600],
    ['cat-20261127-095500-1bb9', '09:50:00', 600],
    ['cat', '09:50:00', 600],
  ])(
    'a snapshot of %s, whose last execution started at 09:50, has the start time %s',
    async (workflowId, at, seconds) => {
      const times = {
        startTime: new Date('2026-11-27T09:50:00Z'),
        closeTime: new Date('2026-11-27T10:00:00Z'),
      };
      const listed = asListed(info('COMPLETED', { workflowId, ...times }));
      const startedAt = `2026-11-27T${at}.000Z`;
      expect(await readListedRun(clientOf({}), listed)).toMatchObject({ startedAt, seconds });
    },
  );

  test.each([
    [2, false],
    [4, true],
  ])(
    'a snapshot with a history of %d events was started by a worker: %s',
    (historyLength, hasStarted) => {
      expect(snapshotOf(info('RUNNING', { historyLength }))).toMatchObject({ hasStarted });
    },
  );

  test('a snapshot reads the pipeline from the memo, or uses the run id if there is no memo', () => {
    const memo = { pipeline: 'Catalog', file: 'c.yaml', records: { type: 'local' }, steps: [] };
    expect(snapshotOf(info('RUNNING', { memo: { renderline: memo } })).pipeline).toBe('Catalog');
    expect(snapshotOf(info('RUNNING'))).toMatchObject({ pipeline: 'catalog-1', memo: null });
  });
});

describe('the end of a failed run', () => {
  test('the end contains the result if all assets failed', () => {
    const result = { run: 'catalog-1', outcome: 'failed' } as RunResult;
    const end = runEndOfFailure({ type: 'RunFailed', message: 'all failed', details: [result] });
    expect(end).toEqual({ result, cause: null, message: '' });
  });

  test('the end contains the result and the cause if the run stopped early', () => {
    const cause: RunCause = { code: 'TOO_MANY_FAILURES', message: 'm', fix: 'f', kind: 'never' };
    const result = { run: 'catalog-1', outcome: 'failed', cause } as RunResult;
    const end = runEndOfFailure({ type: 'RunFailed', message: 'm', details: [result] });
    expect(end).toEqual({ result, cause, message: '' });
  });

  test('the end contains the cause that stopped the whole run', () => {
    const cause: RunCause = { code: 'FOLDER_NOT_FOUND', message: 'm', fix: 'f', kind: 'not-found' };
    const end = runEndOfFailure({ type: 'RunCause', message: 'm', details: [cause] });
    expect(end).toMatchObject({ result: null, cause });
  });

  test.each([
    [{ type: 'PLAN_VERSION', message: 'this worker runs other plans' }, /other plans/],
    [undefined, /no reason/],
  ])('the end contains the message of the failure %j', (failure, words) => {
    const end = runEndOfFailure(failure);
    expect([end.result, end.cause]).toEqual([null, null]);
    expect(end.message).toMatch(words);
  });
});
