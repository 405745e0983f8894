import { expect, test, vi } from 'vitest';
import { grpcServer } from '../../temporal/_grpc-server.ts';
import { startCli } from '../_run-cli.ts';

vi.mock('../../../src/temporal/call-with-timeout.ts', async (original) => ({
  ...(await original<object>()),
  responseTimeoutMs: { short: 200, usual: 200, routing: 200 },
}));

test('show --wait also waits if the server is unreachable at the start', async () => {
  const late = { status: 4 };
  const address = await grpcServer((method) =>
    method === 'DescribeNamespace' || method === 'GetSystemInfo' ? { status: 0 } : late,
  );
  const { stderr, interrupts, done } = startCli(['show', 'run-1', '--wait'], {
    env: { TEMPORAL_ADDRESS: address },
  });
  await stderr.shows(/Temporal does not respond; the run continues|TEMPORAL_UNREACHABLE/);
  interrupts.interrupt();
  expect((await done).stderr).toContain('The run run-1 continues without this command.');
});
