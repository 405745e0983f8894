// What a container's health check asks: whether a worker takes work. On this machine only.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface HealthServer {
  port: number;
  close(): Promise<void>;
}

/** Answers GET /healthz (the process lives) and GET /readyz (200 while `isReady`, else 503). */
export async function startHealthServer(
  port: number,
  isReady: () => boolean,
): Promise<HealthServer> {
  const server = createServer({ requestTimeout: 5_000 }, (request, response) => {
    const known = request.url === '/healthz' || request.url === '/readyz';
    const status = known ? (request.url === '/healthz' || isReady() ? 200 : 503) : 404;
    response.writeHead(status, { 'content-type': 'text/plain' });
    response.end(status === 200 ? 'ok\n' : status === 503 ? 'not ready\n' : 'not found\n');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
