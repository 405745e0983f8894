// What a container's health check sees of a worker.
import { expect, onTestFinished, test } from 'vitest';
import { startHealthServer } from '../../src/cli/health-server.ts';

test.each([
  ['/healthz', null, 200, 'ok\n'],
  ['/healthz', 'it does not take work', 200, 'ok\n'],
  ['/readyz', null, 200, 'ok\n'],
  ['/readyz', 'it does not take work', 503, 'not ready: it does not take work\n'],
  ['/', null, 404, 'not found\n'],
])('%s of a worker with which %j is wrong is %i', async (path, wrong, status, text) => {
  const health = await startHealthServer({ host: '127.0.0.1', port: 0 }, () => wrong);
  onTestFinished(() => health.close());
  const answer = await fetch(`http://127.0.0.1:${health.port}${path}`);
  expect([answer.status, await answer.text()]).toEqual([status, text]);
});

test('a port in use is said', async () => {
  const first = await startHealthServer({ host: '127.0.0.1', port: 0 }, () => null);
  onTestFinished(() => first.close());
  await expect(
    startHealthServer({ host: '127.0.0.1', port: first.port }, () => null),
  ).rejects.toThrow('EADDRINUSE');
});
