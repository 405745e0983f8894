import { expect, test } from 'vitest';
import { grpcServer } from '../../temporal/_grpc-server.ts';
import { startCli } from '../_run-cli.ts';

test('show --wait also waits if the server is unreachable at the start', async () => {
  // Unlike a timeout, gRPC does not retry a cancelled request, so the test does not wait for the deadline.
  const cancelled = { status: 1 };
  const address = await grpcServer((method) =>
    method === 'DescribeNamespace' || method === 'GetSystemInfo' ? { status: 0 } : cancelled,
  );
  const { stderr, interrupts, done } = startCli(['show', 'run-1', '--wait'], {
    env: { TEMPORAL_ADDRESS: address },
  });
  await stderr.shows(/Temporal does not respond; the run continues|TEMPORAL_UNREACHABLE/);
  interrupts.interrupt();
  expect((await done).stderr).toContain('The run run-1 continues without this command.');
});
