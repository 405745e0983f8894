// Test servers on this machine.
import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';

/** Lets a server listen until the test is over. Returns its address. */
export async function onLoopback(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `127.0.0.1:${address.port}`;
}
