// Commands that follow a run tolerate a restart of Temporal, for a limited time.

import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { RenderlineError } from '../../../src/app/renderline-error.ts';
import { followRun } from '../../../src/app/runs/follow-run.ts';
import { createLineProgress } from '../../../src/app/runs/progress-report.ts';
import { ServerOutage } from '../../../src/app/runs/server-outage.ts';
import { commandFailures } from '../../../src/failures/commands.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';

const withStatus = (code: number) => Object.assign(new Error('No connection'), { code });
const away = withStatus(14);
const minute = 60_000;

test.each([
  ['unavailable', away],
  ['late', withStatus(4)],
  [
    'unavailable, with an error wrapped by the client',
    new Error('Failed to describe', { cause: away }),
  ],
])('a server that is %s causes a remark for five minutes, then exit code 69', (_what, error) => {
  let nowMs = 0;
  const absence = new ServerOutage('run-1', () => nowMs);
  nowMs = 5 * minute;
  expect(absence.tolerateError(error)).toContain('the run continues');
  absence.recordResponse();
  nowMs = 10 * minute;
  expect(absence.tolerateError(error)).toContain('retrying');
  nowMs += 1;
  expect(() => absence.tolerateError(error)).toThrow(
    expect.objectContaining({
      exit: 69,
      fix: expect.stringContaining('renderline show run-1 --wait'),
    }),
  );
});

test.each([
  ['a refused credential', withStatus(7)],
  ['an error of the command', new RenderlineError(commandFailures.RUN_NOT_FOUND, 'gone')],
  ['a fault in Renderline', new TypeError('no such field')],
])('%s is not tolerated', (_what, error) => {
  expect(() => new ServerOutage('run-1', () => 0).tolerateError(error)).toThrow(error);
});

test('a run is followed to its end although the server was unreachable for minutes', async () => {
  let nowMs = 0;
  /** Each request takes a second, and longer while the server is unreachable. */
  const describe = () => {
    nowMs += 1_000;
    if (nowMs < 4_000 || nowMs > 200_000) return seen();
    nowMs += 100_000;
    throw away;
  };
  const seen = () => {
    const status = { name: nowMs < 208_000 ? 'RUNNING' : 'COMPLETED' };
    const run = {
      workflowId: 'run-1',
      runId: 'x',
      taskQueue: 'q',
      startTime: new Date(0),
      raw: {},
    };
    return Promise.resolve({ ...run, type: workflowNames.run, status });
  };
  const handle = {
    describe: () => new Promise((done) => done(describe())),
    query: () => Promise.reject(away),
    result: () => new Promise(() => undefined),
  };
  const client = {
    options: { namespace: 'default' },
    workflow: { getHandle: () => handle },
    workflowService: {
      describeTaskQueue: () =>
        Promise.resolve({
          pollers: nowMs < 4_000 ? [{ identity: 'w', lastAccessTime: { seconds: 1 } }] : [],
        }),
    },
    withDeadline: (_at: number, ask: () => unknown) => ask(),
  } as unknown as Client;
  const lines: string[] = [];
  const now = () => nowMs;
  const progress = { ...createLineProgress((line) => lines.push(line), now), pollIntervalMs: 1 };
  const app = new App({ env: {}, cwd: '/', now });
  const leave = new AbortController().signal;
  const followed = await followRun(app, client, 'run-1', { progress, leave });
  expect(followed.end).toBe('ended');
  expect(lines.join('\n')).toContain('Temporal does not respond; the run continues');
});
