// Ending the shards of a closed run.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { cancelOrphans } from '../../../src/temporal/runs/orphaned-shards.ts';

const notFound = new WorkflowNotFoundError('closed', 'shard', undefined);

/**
 * A server with three listed shards of a closed run.
 * @param closed shard that has closed since it was listed @param unreadable shard that the server does not describe
 */
function fakeServer({ closed = '', unreadable = '', attempts = {} as Record<string, number> }) {
  const cancelled: string[] = [];
  const terminated: string[] = [];
  const handleOf = (id: string) => ({
    async describe() {
      if (id === 'r-1') throw notFound;
      if (id === unreadable) throw new Error('the server is busy');
      const attempt = attempts[id] ?? 1;
      return { raw: { pendingWorkflowTask: { attempt } } };
    },
    async cancel() {
      if (id === closed) throw notFound;
      cancelled.push(id);
      return {};
    },
    async terminate() {
      terminated.push(id);
    },
  });
  // The search uses only these fields of a client.
  const client = {
    options: { loadedDataConverter: { payloadCodecs: [] } },
    workflow: {
      getHandle: handleOf,
      async *list() {
        for (const workflowId of ['r-1/0', 'r-1/1', 'r-1/2'])
          yield { workflowId, parentExecution: { workflowId: 'r-1' } };
      },
    },
    workflowService: { getWorkflowExecutionHistoryReverse: async () => ({}) },
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
  return { client, cancelled, terminated };
}

it('a listed shard that has just closed does not keep the other shards of its run open', async () => {
  const { client, cancelled, terminated } = fakeServer({ closed: 'r-1/0' });
  expect(await cancelOrphans(client, 'q')).toEqual(['r-1/1', 'r-1/2']);
  expect(cancelled).toEqual(['r-1/1', 'r-1/2']);
  expect(terminated).toEqual([]);
});

it('a shard whose workflow task keeps failing for ten minutes is terminated, but not one that recovers', async () => {
  const attempts: Record<string, number> = { 'r-1/0': 3, 'r-1/1': 3, 'r-1/2': 2 };
  const { client, terminated } = fakeServer({ attempts });
  const stalledSinceMs = new Map<string, number>();
  const terminatedAfter = async (minutes: number) => {
    await cancelOrphans(client, 'q', stalledSinceMs, minutes * 60_000);
    return [...terminated];
  };
  expect(await terminatedAfter(0)).toEqual([]);
  attempts['r-1/0'] = 0;
  expect(await terminatedAfter(5)).toEqual([]);
  attempts['r-1/0'] = 3;
  expect(await terminatedAfter(10)).toEqual(['r-1/1']);
});

it('a shard whose state cannot be read does not keep the other shards of its run open', async () => {
  const { client, cancelled } = fakeServer({ unreadable: 'r-1/0' });
  await cancelOrphans(client, 'q');
  expect(cancelled).toEqual(['r-1/0', 'r-1/1', 'r-1/2']);
});
