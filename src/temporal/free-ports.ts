// TCP ports that nobody uses at this moment.
import { createServer, type Server } from 'node:net';

/**
 * `count` different free ports on `host`, given out by the system. Somebody may take one before it is
 * used, so whoever starts a server on it must be ready to ask again.
 */
export async function freePorts(count: number, host = '127.0.0.1'): Promise<number[]> {
  const servers: Server[] = [];
  try {
    // All are held until the last is known: otherwise the same port could be given out twice.
    for (let index = 0; index < count; index += 1) servers.push(await listen(host));
    return servers.map(portOf);
  } finally {
    await Promise.all(servers.map(close));
  }
}

/** True where the port is free at this moment. */
export async function isFreePort(port: number, host = '127.0.0.1'): Promise<boolean> {
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
  if (address === null || typeof address === 'string') throw new Error('the port is not known');
  return address.port;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
  });
}
