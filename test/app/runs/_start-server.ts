// A compiled pipeline, and a Temporal server that has no workflows and only starts one.
import { WorkflowNotFoundError } from '@temporalio/client';
import { App } from '../../../src/app/app.ts';
import { compilePipeline } from '../../../src/app/compile-pipeline.ts';
import type { TemporalConnection } from '../../../src/temporal/connection/connect.ts';
import { folderWith } from '../../cli/_folder.ts';

const pipeline = `name: shop
connectors: { m: { type: local, path: in } }
records: m
nodes: [{ id: take, type: connector_poll, config: { connector: m } }]
`;

/** Compiles the pipeline in a new folder. */
export async function compileShop() {
  const app = new App({ env: {}, cwd: folderWith({ 'shop.yaml': pipeline, 'in/.keep': '' }) });
  return { app, plan: (await compilePipeline(app, 'shop.yaml', {})).plan };
}

/** @param start answers the start of a workflow @param workflowService other calls of the server */
export function startServerWith(
  start: (...workflow: unknown[]) => Promise<unknown>,
  workflowService: object = {},
): TemporalConnection {
  const missing = { describe: () => Promise.reject(new WorkflowNotFoundError('', 'q', undefined)) };
  const withDeadline = (_at: number, work: () => unknown) => work();
  // Only these fields are read.
  return {
    namespace: 'n',
    connection: {
      withDeadline,
      operatorService: { listSearchAttributes: async () => ({ customAttributes: {} }) },
    },
    client: {
      options: { namespace: 'n', loadedDataConverter: { payloadCodecs: [] } },
      withDeadline,
      workflow: { getHandle: () => missing, start },
      workflowService,
    },
  } as unknown as TemporalConnection;
}
