// Options and start of the health endpoint. Flags override environment variables; the default is loopback only.
import { isIP } from 'node:net';
import { RenderlineError } from '../app/renderline-error.ts';
import { type HealthServer, startHealthServer } from '../app/worker/health-server.ts';
import { commandFailures } from '../failures/commands.ts';
import type { Environment } from '../settings/environment.ts';
import { portParser } from './params.ts';

/** Health options of a command; commander returns their values as `HealthFlags`. */
export const healthOptions = {
  port: [
    '--health-port <n>',
    'serve /healthz and /readyz at this port; 0 takes a free port (RENDERLINE_HEALTH_PORT)',
    portParser('--health-port'),
  ],
  host: [
    '--health-host <address>',
    'address of these probes; 0.0.0.0 for a kubelet (RENDERLINE_HEALTH_HOST, default 127.0.0.1)',
  ],
} as const;

export interface HealthFlags {
  healthPort?: number | undefined;
  healthHost?: string | undefined;
}

/**
 * Starts the health endpoint. Returns null if no port is configured.
 * @param findProblem returns the current problem, or null while the process is ready
 * @throws RenderlineError for an address or port that cannot be bound
 */
export async function startHealthIfSet(
  { healthPort, healthHost }: HealthFlags,
  env: Environment,
  findProblem: () => string | null,
): Promise<HealthServer | null> {
  const named = env['RENDERLINE_HEALTH_PORT'] || undefined;
  const port =
    healthPort ?? (named === undefined ? undefined : portParser('RENDERLINE_HEALTH_PORT')(named));
  if (port === undefined) return null;
  const environmentHost = env['RENDERLINE_HEALTH_HOST'] || '127.0.0.1';
  const [host, origin] =
    healthHost === undefined
      ? [environmentHost, 'RENDERLINE_HEALTH_HOST']
      : [healthHost, '--health-host'];
  if (isIP(host) === 0 && host !== 'localhost')
    throw badAddressError(`${origin} ${host} is no address`);
  try {
    return await startHealthServer({ host, port }, findProblem);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRNOTAVAIL') {
      throw badAddressError(`${origin} ${host} is no address of this machine`);
    }
    throw error;
  }
}

function badAddressError(what: string): RenderlineError {
  return new RenderlineError(commandFailures.USAGE, `${what}.`, {
    fix: 'Name an address of this machine: 127.0.0.1, or 0.0.0.0 for all of them.',
  });
}
