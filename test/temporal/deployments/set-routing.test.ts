// Tests a change of the routing on a busy server that does not finish it within its own deadline.
import type { Client } from '@temporalio/client';
import { expect, it } from 'vitest';
import { grpcCode } from '../../../src/failures/grpc-status.ts';
import { setCurrentVersion } from '../../../src/temporal/deployments/set-routing.ts';

interface Request {
  buildId: string;
  conflictToken: Uint8Array;
}

const token = (byte: number) => new Uint8Array([byte]);

/** A server that responds to the first changes with these gRPC codes. */
function server(codes: number[]) {
  const requests: Request[] = [];
  const client = {
    options: { namespace: 'default', identity: 'me' },
    withDeadline: (_deadline: number, call: () => unknown) => call(),
    workflowService: {
      setWorkerDeploymentCurrentVersion: async (request: Request) => {
        requests.push(request);
        const code = codes.shift();
        if (code !== undefined) throw Object.assign(new Error('no'), { code, details: 'no' });
      },
      describeWorkerDeployment: async () => ({ conflictToken: token(requests.length + 1) }),
    },
  };
  return { client: client as unknown as Client, requests };
}

const deployment = { name: 'shop', conflictToken: token(1) };

it('a change that timed out is retried with the current conflict token', async () => {
  const { client, requests } = server([grpcCode.deadlineExceeded, grpcCode.deadlineExceeded]);
  await setCurrentVersion(client, deployment, 'two');
  expect(requests.map(({ buildId, conflictToken }) => [buildId, ...conflictToken])).toEqual([
    ['two', 1],
    ['two', 2],
    ['two', 3],
  ]);
});

it('a change that the server refuses is not retried', async () => {
  const { client, requests } = server([grpcCode.failedPrecondition]);
  await expect(setCurrentVersion(client, deployment, 'two')).rejects.toMatchObject({
    details: 'no',
  });
  expect(requests).toHaveLength(1);
});
