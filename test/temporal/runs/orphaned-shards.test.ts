// Cancelling the shards of a terminated run.
import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { expect, it } from 'vitest';
import { cancelOrphans } from '../../../src/temporal/runs/orphaned-shards.ts';

it('a listed shard that has just closed does not keep the other shards of its run open', async () => {
  const notFound = new WorkflowNotFoundError('closed', 'shard', undefined);
  const cancelled: string[] = [];
  const handleOf = (id: string) => ({
    describe: () => Promise.reject(notFound),
    async cancel() {
      if (id === 'r-1/0') throw notFound;
      cancelled.push(id);
      return {};
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
    withDeadline: (_at: number, work: () => unknown) => work(),
  } as unknown as Client;
  expect(await cancelOrphans(client, 'q')).toEqual(['r-1/1', 'r-1/2']);
  expect(cancelled).toEqual(['r-1/1', 'r-1/2']);
});
