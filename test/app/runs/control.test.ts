import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, test } from 'vitest';
import { runEndedError, signalRun, waitForState } from '../../../src/app/runs/control.ts';
import { workflowNames } from '../../../src/plan/contract/contract.ts';

/** A run that ends just before it is signalled, so that the server reports no open run of this name. */
function ending(status: string | null): Client {
  const notFound = () =>
    Promise.reject(
      new WorkflowNotFoundError('workflow execution already completed', 'r-1', undefined),
    );
  const gone = () => {
    const told = { code: 5, details: 'workflow execution already completed', metadata: {} };
    return Promise.reject(Object.assign(new Error('5 NOT_FOUND'), told));
  };
  const described = {
    workflowId: 'r-1',
    runId: 'e-1',
    type: workflowNames.run,
    taskQueue: 'q',
    status: { name: status ?? 'RUNNING' },
    startTime: new Date(0),
    raw: {},
    closeTime: new Date(Date.UTC(2026, 10, 26, 21, 3)),
    historyLength: 9,
  };
  const handle = {
    describe: () => (status === null ? notFound() : Promise.resolve(described)),
    signal: notFound,
    query: () => Promise.reject(new Error('no worker')),
  };
  return {
    options: { namespace: 'default', identity: 'ann@a' },
    workflow: { getHandle: () => handle },
    workflowService: { requestCancelWorkflowExecution: gone },
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
}

test.each(['cancel', 'pause', 'resume', 'approve'] as const)(
  '%s of a run that has just ended reports how and when it ended',
  async (action) => {
    const client = ending('COMPLETED');
    await signalRun(client, action, 'r-1');
    const reached = await waitForState(client, 'r-1', () => false);
    expect(runEndedError(reached, action).message).toBe(
      `The run r-1 has ended (completed at 2026-11-26T21:03:00.000Z); there is nothing to ${action}.`,
    );
  },
);

test('the counts of a run that has reached a state include those of its open shards', async () => {
  const totals = (complete: number) => ({ total: 9, complete, failed: 0, skipped: 0 });
  const run = {
    state: 'paused',
    totals: totals(1),
    steps: {},
    requests: {},
    failures: [],
    historyEvents: 0,
    inFlight: { assets: 8, max: 9, heldBy: 'nothing' },
    openShards: [{ shard: 0, lastReport: { totals: totals(1) } }],
  };
  const shard = { shard: 0, totals: totals(4), steps: {}, failures: [] };
  const client = ending('RUNNING');
  const handle = client.workflow.getHandle('r-1');
  client.workflow.getHandle = ((id: string) => ({
    describe: () => handle.describe(),
    query: async () => (id === 'r-1' ? run : shard),
  })) as unknown as Client['workflow']['getHandle'];
  const { progress } = await waitForState(client, 'r-1', ({ state }) => state === 'paused');
  expect(progress).toMatchObject({ totals: { complete: 4 }, inFlight: { assets: 5 } });
});

test.each(['cancel', 'pause', 'resume', 'approve'] as const)(
  '%s of a run that does not exist fails with RUN_NOT_FOUND',
  async (action) => {
    await expect(signalRun(ending(null), action, 'r-1')).rejects.toMatchObject({
      code: 'RUN_NOT_FOUND',
      message: 'The run "r-1" does not exist.',
    });
  },
);

test.each([
  ['pause', {}, [undefined, {}]],
  ['pause', { reason: 'lunch' }, [undefined, { reason: 'lunch' }]],
  ['resume', { pictures: 3 }, [undefined, { pictures: 3 }]],
  ['approve', {}, [{}]],
  ['approve', { reason: 'fine' }, [{ reason: 'fine' }]],
] as const)('%s sends the note %j', async (action, note, args) => {
  const sent: unknown[][] = [];
  const handle = { signal: async (...given: unknown[]) => sent.push(given) };
  const client = {
    workflow: { getHandle: () => handle },
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
  await signalRun(client, action, 'r-1', note);
  expect(sent).toEqual([[action, ...args]]);
});

test('a cancel request contains the reason and the identity of the client', async () => {
  const sent: object[] = [];
  const loadedDataConverter = { payloadConverter: defaultPayloadConverter, payloadCodecs: [] };
  const client = {
    options: { namespace: 'default', identity: 'ann@a', loadedDataConverter },
    workflow: { getHandle: () => ({}) },
    workflowService: { requestCancelWorkflowExecution: async (given: object) => sent.push(given) },
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
  await signalRun(client, 'cancel', 'r-1', { reason: 'wrong folder' });
  expect(sent).toMatchObject([
    {
      namespace: 'default',
      identity: 'ann@a',
      reason: 'wrong folder',
      workflowExecution: { workflowId: 'r-1' },
    },
  ]);
});
