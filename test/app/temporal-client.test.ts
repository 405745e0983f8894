// A use case's connection to Temporal.
import { expect, test } from 'vitest';
import { App } from '../../src/app/app.ts';
import { withTemporal } from '../../src/app/temporal-client.ts';
import { grpcServer } from '../temporal/_grpc-server.ts';

test('a server that never lists the general pauses delays a use case by two seconds at most', async () => {
  const asked: string[] = [];
  const address = await grpcServer((method) => {
    asked.push(method);
    return method === 'ListWorkflowExecutions' ? null : { status: 0 };
  });
  const app = new App({ env: { TEMPORAL_ADDRESS: address }, cwd: '/tmp' });
  const startedAt = performance.now();
  expect(await withTemporal(app, async () => 'done')).toBe('done');
  expect(asked).toContain('ListWorkflowExecutions');
  expect(performance.now() - startedAt).toBeLessThan(4_000);
});
