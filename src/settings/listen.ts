// Listening of the servers that workers and commands run.
import type { Server } from 'node:http';

/** Listens and gives the port, which `port: 0` leaves to the system. Rejects when the port is taken. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  await new Promise<void>((done, failed) => {
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      done();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
