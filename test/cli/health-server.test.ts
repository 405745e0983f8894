// What a container's health check sees of a worker.
import { expect, onTestFinished, test } from 'vitest';
import { startHealthServer } from '../../src/cli/health-server.ts';

test.each([
  ['/healthz', true, 200],
  ['/healthz', false, 200],
  ['/readyz', true, 200],
  ['/readyz', false, 503],
  ['/', true, 404],
])('%s of a worker that is running: %s is %i', async (path, running, status) => {
  const health = await startHealthServer(0, () => running);
  onTestFinished(() => health.close());
  expect((await fetch(`http://127.0.0.1:${health.port}${path}`)).status).toBe(status);
});

test('a port in use is said', async () => {
  const first = await startHealthServer(0, () => true);
  onTestFinished(() => first.close());
  await expect(startHealthServer(first.port, () => true)).rejects.toThrow('EADDRINUSE');
});
