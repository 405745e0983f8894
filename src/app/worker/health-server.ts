// HTTP server for liveness and readiness probes of containers and clusters.
import type { IncomingMessage } from 'node:http';
import { startServer } from '../../settings/http-server.ts';

export interface HealthServer {
  port: number;
  /** URL of /readyz. */
  url: string;
  close(): Promise<void>;
}

/** Serves GET /healthz (always 200) and GET /readyz (200, or 503 with the problem that `findProblem` returns). */
export async function startHealthServer(
  place: { host: string; port: number },
  findProblem: () => string | null,
): Promise<HealthServer> {
  const server = await startServer((request, response) => {
    const [status, text] = probeResponse(request, findProblem);
    // Closing the connection avoids reading a request body, which probes do not have.
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    response.end(`${text}\n`);
  }, place);
  return {
    port: server.port,
    url: `${server.origin}/readyz`,
    close: () => server.stop(),
  };
}

function probeResponse(
  { method = '', url }: IncomingMessage,
  findProblem: () => string | null,
): [number, string] {
  if (!['GET', 'HEAD'].includes(method)) return [405, 'only GET'];
  if (url === '/healthz') return [200, 'ok'];
  if (url !== '/readyz') return [404, 'not found'];
  const wrong = findProblem();
  return wrong === null ? [200, 'ok'] : [503, `not ready: ${wrong}`];
}
