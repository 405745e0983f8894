// Commands that follow a run tolerate a restart of Temporal, for a limited time.

import type { Client } from '@temporalio/client';
import { expect, test } from 'vitest';
import { RenderlineError } from '../../src/app/renderline-error.ts';
import { followRun } from '../../src/app/runs/follow-run.ts';
import { ServerOutage } from '../../src/app/runs/server-outage.ts';
import { Session } from '../../src/cli/session.ts';
import { commandFailures } from '../../src/failures/commands.ts';
import { workflowNames } from '../../src/plan/contract/contract.ts';
import { grpcServer } from '../temporal/_grpc-server.ts';
import { createIo } from './_fake-io.ts';
import { startCli } from './_run-cli.ts';

const withStatus = (code: number) => Object.assign(new Error('No connection'), { code });
const away = withStatus(14);
const minute = 60_000;

test.each([
  ['unavailable', away],
  ['late', withStatus(4)],
  ['wrapped by the client', new Error('Failed to describe', { cause: away })],
])('%s: a remark for five minutes, then 69 with the way back', (_what, error) => {
  let nowMs = 0;
  const absence = new ServerOutage('run-1', () => nowMs);
  nowMs = 5 * minute;
  expect(absence.tolerateError(error)).toContain('the run continues');
  absence.noteResponse();
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
  ['refused credentials', withStatus(7)],
  ['an end that was chosen', new RenderlineError(commandFailures.RUN_NOT_FOUND, 'gone')],
  ['a fault of ours', new TypeError('no such field')],
])('%s: no waiting', (_what, error) => {
  expect(() => new ServerOutage('run-1', () => 0).tolerateError(error)).toThrow(error);
});

test('a server that was away for minutes, and workers that come back after it: the run is followed to its end', async () => {
  const { io, stderr, interrupts } = createIo();
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
    const run = { workflowId: 'run-1', runId: 'x', taskQueue: 'q', startTime: new Date(0) };
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
  const session = new Session({ ...io, now: () => nowMs }, false);
  const leave = interrupts.handleFirst();
  const followed = await followRun({ session, client, run: 'run-1', leave, pollIntervalMs: 1 });
  expect(followed.end).toBe('ended');
  expect(stderr.plain).toContain('Temporal does not respond; the run continues');
});

test('show --wait: a server that is away at the first look is waited for too', async () => {
  const late = { status: 4 };
  const address = await grpcServer((method) =>
    method === 'DescribeNamespace' || method === 'GetSystemInfo' ? { status: 0 } : late,
  );
  const { stderr, interrupts, done } = startCli(['show', 'run-1', '--wait'], {
    env: { TEMPORAL_ADDRESS: address },
  });
  await stderr.shows(/Temporal does not respond; the run continues|TEMPORAL_UNREACHABLE/);
  interrupts.interrupt();
  expect((await done).stderr).toContain('The run run-1 continues without this command.');
});
