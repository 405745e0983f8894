// Starts whose response is lost.
import { WorkflowNotFoundError } from '@temporalio/client';
import { expect, test } from 'vitest';
import { App } from '../../../src/app/app.ts';
import { compilePipeline } from '../../../src/app/compile-pipeline.ts';
import { startRun } from '../../../src/app/runs/start-run.ts';
import { grpcCode } from '../../../src/failures/grpc-status.ts';
import type { TemporalConnection } from '../../../src/temporal/connection/connect.ts';
import { folderWith } from '../../cli/_folder.ts';

const pipeline = `name: shop
connectors: { m: { type: local, path: in } }
records: m
nodes: [{ id: take, type: connector_poll, config: { connector: m } }]
`;

/** Starts a run on a server that ends the start with this status. */
async function start(code: number) {
  const noPause = { describe: () => Promise.reject(new WorkflowNotFoundError('', 'p', undefined)) };
  const withDeadline = (_at: number, work: () => unknown) => work();
  // Only these fields are read.
  const temporal = {
    namespace: 'n',
    connection: {
      withDeadline,
      operatorService: { listSearchAttributes: async () => ({ customAttributes: {} }) },
    },
    client: {
      options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
      withDeadline,
      workflow: {
        getHandle: () => noPause,
        start: () => Promise.reject(Object.assign(new Error('no'), { code, details: 'no' })),
      },
    },
  } as unknown as TemporalConnection;
  const app = new App({ env: {}, cwd: folderWith({ 'shop.yaml': pipeline, 'in/.keep': '' }) });
  const { plan } = await compilePipeline(app, 'shop.yaml', {});
  const runs: string[] = [];
  const onStarting = (run: string) => runs.push(run);
  const error: unknown = await startRun(temporal, plan, 'q', Date.now(), { onStarting }).catch(
    (thrown: unknown) => thrown,
  );
  return { error, run: runs[0] };
}

test.each(['deadlineExceeded', 'unavailable', 'cancelled'] as const)(
  'the error of a start that ends with the status %s names the run that may have started',
  async (status) => {
    const { error, run } = await start(grpcCode[status]);
    const hint = `The run ${run} may have started. Check it: renderline show ${run}`;
    expect(error).toMatchObject({ message: expect.stringContaining(hint), details: { run } });
  },
);

test('a start that the server refuses starts no run', async () => {
  const { error } = await start(grpcCode.permissionDenied);
  expect(error).toMatchObject({ code: grpcCode.permissionDenied, message: 'no' });
});
