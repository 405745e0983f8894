// An HTTP server for the liveness and readiness probes of containers and clusters.
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { Environment } from '../../settings/environment.ts';
import { startServer } from '../../settings/http-server.ts';
import { readPort } from '../parse-port.ts';
import { RenderlineError, usageError } from '../renderline-error.ts';

export interface HealthServer {
  port: number;
  /** URL of /readyz. */
  url: string;
  close(): Promise<void>;
}

export interface HealthOptions {
  /** Port of the health server. With 0, a free port is chosen. */
  healthPort?: number | undefined;
  /** @default loopback only */
  healthHost?: string | undefined;
}

/**
 * Starts the server at the given address, or at the address in the environment. Returns null if no port is configured.
 * @param findProblem returns the current problem, or null while the process is ready
 * @throws RenderlineError for an invalid port or an address not on this machine; other errors unchanged
 */
export async function startConfiguredHealth(
  { healthPort, healthHost }: HealthOptions,
  env: Environment,
  findProblem: () => string | null,
): Promise<HealthServer | null> {
  const port = healthPort ?? readPort('RENDERLINE_HEALTH_PORT', env);
  if (port === undefined) return null;
  const environmentHost = env['RENDERLINE_HEALTH_HOST'] || '127.0.0.1';
  const [host, origin] =
    healthHost === undefined
      ? [environmentHost, 'RENDERLINE_HEALTH_HOST']
      : [healthHost, '--health-host'];
  if (isIP(host) === 0 && host !== 'localhost')
    throw badAddressError(`${origin} ${host} is not an IP address`);
  try {
    return await startHealthServer({ host, port }, findProblem);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') {
      throw badAddressError(`${origin} ${host} is not an address of this machine`);
    }
    throw error;
  }
}

function badAddressError(problem: string): RenderlineError {
  const fix =
    'Use an address of this machine, such as 127.0.0.1, or 0.0.0.0 for all its addresses.';
  return usageError(`${problem}.`, fix);
}

/** Serves GET /healthz (always 200) and GET /readyz (200, or 503 with the problem that `findProblem` returns). */
export async function startHealthServer(
  address: { host: string; port: number },
  findProblem: () => string | null,
): Promise<HealthServer> {
  const server = await startServer((request, response) => {
    const [status, text] = probeResponse(request, findProblem);
    // The connection is closed so that a request body is not read. Probes do not send one.
    response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' });
    response.end(`${text}\n`);
  }, address);
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
