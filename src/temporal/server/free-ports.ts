// Finds TCP ports that are currently free.
import { createServer, type Server } from 'node:net';

/**
 * Returns `count` different free ports on `host`, assigned by the system. Another process may take a port before the
 * caller uses it, so the caller must be ready to retry.
 */
export async function findFreePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers: Server[] = [];
  try {
    // All ports stay open until the last one is known, because otherwise the system could assign a port twice.
    for (let index = 0; index < count; index += 1) servers.push(await listen(host));
    return servers.map(portOf);
  } finally {
    await Promise.all(servers.map(close));
  }
}

/** True if the port is currently free. */
export async function isPortFree(port: number, host = '127.0.0.1'): Promise<boolean> {
  const server = await listen(host, port).catch(() => null);
  if (server !== null) await close(server);
  return server !== null;
}

function listen(host: string, port = 0): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => resolve(server));
  });
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the port is unknown');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
