// Tests that `dev` also starts its sandbox if another program takes the port at the last moment.
import { expect, test } from 'vitest';
import { startSandbox } from '../../../packages/sandbox/src/server/server.ts';
import { startOnFreePort } from '../../../src/app/local/local-services.ts';

test('a sandbox whose port is in use starts on another port', async () => {
  const other = await startSandbox();
  const port = Number(new URL(other.origin).port);
  const sandbox = await startOnFreePort(startSandbox, { port });
  expect(new URL(sandbox.origin).port).not.toBe(String(port));
  await Promise.all([sandbox.stop(), other.stop()]);
});

test('a sandbox does not start on another port for any other error', async () => {
  const broken = () => Promise.reject(new Error('no such folder'));
  await expect(startOnFreePort(broken, { port: 1 })).rejects.toThrow('no such folder');
});
