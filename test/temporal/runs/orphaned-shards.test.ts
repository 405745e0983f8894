// Ending the shards of a closed run.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { cancelOrphans } from '../../../src/temporal/runs/orphaned-shards.ts';

const notFound = new WorkflowNotFoundError('closed', 'shard', undefined);

/**
 * A server with three listed shards of a closed run.
 * @param closed shards that have closed since they were listed @param unreadable shard that the server does not describe
 */
function fakeServer({
  closed = [] as string[],
  unreadable = '',
  attempts = {} as Record<string, number>,
}) {
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
      if (closed.includes(id)) throw notFound;
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
  const { client, cancelled, terminated } = fakeServer({ closed: ['r-1/0'] });
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

it('a shard that has closed or was terminated gets ten minutes again if it is started again and stalls', async () => {
  const closed: string[] = [];
  const { client, terminated } = fakeServer({ closed, attempts: { 'r-1/0': 3, 'r-1/1': 3 } });
  const stalledSinceMs = new Map<string, number>();
  const search = (minutes: number) => cancelOrphans(client, 'q', stalledSinceMs, minutes * 60_000);
  await search(0);
  closed.push('r-1/0');
  await search(5);
  closed.pop();
  await search(10);
  expect(terminated).toEqual(['r-1/1']);
  await search(11);
  expect(terminated).toEqual(['r-1/1']);
});

it('a shard whose state cannot be read does not keep the other shards of its run open', async () => {
  const { client, cancelled } = fakeServer({ unreadable: 'r-1/0' });
  await cancelOrphans(client, 'q');
  expect(cancelled).toEqual(['r-1/0', 'r-1/1', 'r-1/2']);
});
