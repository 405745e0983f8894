// Tests that no request waits forever for a server that accepts requests and never responds.
import { Client, Connection } from '@temporalio/client';
import { expect, it, onTestFinished } from 'vitest';
import { findGrpcStatus, grpcCode } from '../../../src/failures/grpc-status.ts';
import { listWorkflows } from '../../../src/temporal/codec/tolerant-reader.ts';
import { moveRuns } from '../../../src/temporal/deployments/move-runs.ts';
import { cancelOrphans } from '../../../src/temporal/runs/orphaned-shards.ts';
import { isWorkflowOpen } from '../../../src/temporal/runs/workflow-queries.ts';
import { findFailingWorkflows } from '../../../src/temporal/status/failing-workflows.ts';
import { grpcServer } from '../_grpc-server.ts';

/** A client of a silent server: it retries nothing, and the time limits of its requests are 200 ms. */
async function impatientClient(): Promise<Client> {
  const address = await grpcServer((method) => (method === 'GetSystemInfo' ? { status: 0 } : null));
  const connection = await Connection.connect({ address, interceptors: [] });
  onTestFinished(() => connection.close());
  const withDeadline = connection.withDeadline.bind(connection);
  connection.withDeadline = (_deadline, work) => withDeadline(Date.now() + 200, work);
  return new Client({ connection });
}

it.each<[string, (client: Client) => Promise<unknown>]>([
  ['a list of workflows', (client) => listWorkflows(client, { query: '' }).next()],
  ['the check whether a workflow is open', (client) => isWorkflowOpen(client, 'run')],
  ['the search for orphaned shards', (client) => cancelOrphans(client, 'queue')],
  ['the search for failing workflows', (client) => findFailingWorkflows(client, 'queue')],
  [
    'moving runs to another build',
    (client) => moveRuns(client, { deployment: 'lamps', buildId: 'a' }, { to: null }),
  ],
])('%s ends with an error', { timeout: 5_000 }, async (_what, request) => {
  const error: unknown = await request(await impatientClient()).catch((cause: unknown) => cause);
  expect(findGrpcStatus(error)?.code).toBe(grpcCode.deadlineExceeded);
});
