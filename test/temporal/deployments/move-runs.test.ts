// A workflow that closes while it is moved is left out; any other refusal ends the move.
import { Client, Connection } from '@temporalio/client';
import { temporal } from '@temporalio/proto';
import { expect, it, onTestFinished } from 'vitest';
import { findGrpcStatus, grpcCode } from '../../../src/failures/grpc-status.ts';
import { moveRuns } from '../../../src/temporal/deployments/move-runs.ts';
import { grpcServer } from '../_grpc-server.ts';

const { ListWorkflowExecutionsResponse } = temporal.api.workflowservice.v1;

/** Moves one run, and returns the ids of moved runs, or the status of the error. */
async function move(status: number, details: string): Promise<string[] | number | undefined> {
  const execution = { workflowId: 'run-1', runId: 'a' };
  const executions = [
    { execution, type: { name: 'run' }, status: 1, startTime: {}, executionTime: {} },
  ];
  const message = ListWorkflowExecutionsResponse.encode({ executions }).finish();
  const address = await grpcServer((method) => {
    if (method === 'UpdateWorkflowExecutionOptions') return { status, details };
    return method === 'ListWorkflowExecutions' ? { status: 0, message } : { status: 0 };
  });
  const connection = await Connection.connect({ address, interceptors: [] });
  onTestFinished(() => connection.close());
  const from = { deployment: 'lamps', buildId: 'a' };
  return moveRuns(new Client({ connection }), from, { to: null }).catch(
    (error: unknown) => findGrpcStatus(error)?.code,
  );
}

it.each<[details: string, status: number, result: string[] | number]>([
  ['', grpcCode.ok, ['run-1']],
  ['workflow execution already completed', grpcCode.notFound, []],
  ['workflow not found for ID: run-1', grpcCode.notFound, []],
  ['no worker of the build was found: not found', grpcCode.failedPrecondition, 9],
])(
  'if Temporal responds with "%s" (gRPC status %i), the move of a run returns %j',
  async (details, status, result) => {
    expect(await move(status, details)).toEqual(result);
  },
);
