// Following a run whose worker does not respond. The output shows for how long, without an estimate and without a wrong
// state.
import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { followRun } from '../../../src/app/runs/follow-run.ts';
import { createLineProgress } from '../../../src/app/runs/progress-report.ts';
import { type RunProgress, workflowNames } from '../../../src/plan/contract/contract.ts';
import { CodecKeyMissingError } from '../../../src/temporal/codec/codec-errors.ts';

function progressOf(done: number): RunProgress {
  return {
    run: 'run-1',
    pipeline: 'shop',
    state: 'running',
    cause: null,
    discovery: { pages: 1, total: 100, new: 100, changed: 0, unchanged: 0, refused: 0 },
    totals: { total: 100, complete: done, failed: 0, skipped: 0 },
    inFlight: { assets: 0, max: 9, heldBy: 'nothing' },
    openShards: [],
    shardsDone: 0,
    failures: [],
    requests: {},
    historyEvents: 1,
    steps: { render: { waiting: 100 - done, running: 0, done, failed: 0 } },
  };
}

/** Follows a run of 120 s. A query takes five seconds if no worker responds. */
async function followed({
  answersUntilMs,
  historyLength,
  error = new Error('no worker'),
}: {
  answersUntilMs: number;
  historyLength: number;
  error?: Error;
}) {
  const lines: string[] = [];
  let nowMs = 0;
  const handle = {
    describe: () => {
      nowMs += 2_000;
      const status = { name: nowMs < 120_000 ? 'RUNNING' : 'COMPLETED' };
      const run = {
        workflowId: 'run-1',
        runId: 'x',
        taskQueue: 'q',
        startTime: new Date(0),
        raw: {},
      };
      return Promise.resolve({ ...run, type: workflowNames.run, status, historyLength });
    },
    query: () => {
      if (nowMs < answersUntilMs) return Promise.resolve(progressOf(Math.floor(nowMs / 1_000)));
      nowMs += 5_000;
      return Promise.reject(error);
    },
    result: () => new Promise(() => undefined),
  };
  const client = {
    options: { namespace: 'default' },
    workflow: { getHandle: () => handle },
    workflowService: {
      // A killed worker remains in this list for minutes.
      describeTaskQueue: () =>
        Promise.resolve({
          pollers: [{ identity: 'w', lastAccessTime: { seconds: nowMs / 1_000 } }],
        }),
    },
    withDeadline: (_at: number, ask: () => unknown) => ask(),
  } as unknown as Client;
  const now = () => nowMs;
  const progress = { ...createLineProgress((line) => lines.push(line), now), pollIntervalMs: 1 };
  const app = new App({ env: {}, cwd: '/', now });
  await followRun(app, client, 'run-1', { progress, leave: new AbortController().signal });
  return lines;
}

test('after a worker has died, the figures are still shown with their age, but without a remaining time', async () => {
  const lines = await followed({ answersUntilMs: 30_000, historyLength: 40 });
  expect(lines.filter((line) => line.includes('left'))).not.toEqual([]);
  const silent = lines.filter((line) => line.includes('no worker has responded'));
  expect(silent.filter((line) => line.includes('left'))).toEqual([]);
  expect(silent.at(-1)).toMatch(
    /^running: 28 of 100 complete, \d min \d+ s \(no worker has responded for 1 min; the figures are from the last response\)$/,
  );
});

test.each([
  [40, 'running: no figures yet'],
  [2, 'starting: not started by a worker yet'],
])('without a response, a history of %d events is shown as "%s"', async (historyLength, words) => {
  const lines = await followed({ answersUntilMs: 0, historyLength });
  expect(lines.at(-1)).toContain(words);
  expect(lines.at(-1)).toContain('(no worker has responded for 1 min)');
});

test('a response that cannot be decrypted is not shown as a missing worker or as zeros', async () => {
  const error = new CodecKeyMissingError('new', []);
  const lines = await followed({ answersUntilMs: 0, historyLength: 40, error });
  expect(lines.at(-1)).toMatch(
    /^running: no figures yet, .*\(.*the key "new", which is not set here/,
  );
  expect(lines.join('\n')).not.toMatch(/no worker|0 of 0/);
});
