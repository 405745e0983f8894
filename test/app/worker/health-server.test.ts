// Responses to health probes.
import { expect, onTestFinished, test } from 'vitest';
import { startHealthServer } from '../../../src/app/worker/health-server.ts';

test.each([
  ['/healthz', null, 200, 'ok\n'],
  ['/healthz', 'the worker is not running', 200, 'ok\n'],
  ['/readyz', null, 200, 'ok\n'],
  ['/readyz', 'the worker is not running', 503, 'not ready: the worker is not running\n'],
  ['/', null, 404, 'not found\n'],
])('%s of a worker with the problem %j responds with %i', async (path, wrong, status, text) => {
  const health = await startHealthServer({ host: '127.0.0.1', port: 0 }, () => wrong);
  onTestFinished(() => health.close());
  const answer = await fetch(`http://127.0.0.1:${health.port}${path}`);
  expect([answer.status, await answer.text()]).toEqual([status, text]);
});

test('a port in use causes an error', async () => {
  const first = await startHealthServer({ host: '127.0.0.1', port: 0 }, () => null);
  onTestFinished(() => first.close());
  await expect(
    startHealthServer({ host: '127.0.0.1', port: first.port }, () => null),
  ).rejects.toThrow('EADDRINUSE');
});
