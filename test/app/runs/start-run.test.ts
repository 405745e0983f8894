// Starts whose response is lost.
import { expect, test } from 'vitest';
import { startRun } from '../../../src/app/runs/start-run.ts';
import { grpcCode } from '../../../src/failures/grpc-status.ts';
import { compileShop, startServerWith } from './_start-server.ts';

/** Starts a run on a server that ends the start with this status. */
async function start(code: number) {
  const refuse = () => Promise.reject(Object.assign(new Error('no'), { code, details: 'no' }));
  const temporal = startServerWith(refuse);
  const { plan } = await compileShop();
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
