// HTTP servers of workers and commands, with timeouts, connection limits and a graceful stop.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type BodyPace, type ConnectionCaps, capConnections } from './connections.ts';

/** Timeouts for the sender of a request. */
export interface ServerTimeouts {
  headersMs: number;
  /** Time limit for headers and body together. */
  requestMs: number;
  body: BodyPace;
  /** Interval at which the timeouts are checked. */
  checkIntervalMs: number;
}

export interface HttpServerOptions {
  host: string;
  /** Port to listen on. 0 means any free port. */
  port: number;
  /** @default defaultServerTimeouts */
  timeouts?: ServerTimeouts | undefined;
  /** @default localCaps */
  caps?: ConnectionCaps | undefined;
}

export interface RunningServer {
  port: number;
  /** Scheme, host and port. */
  origin: string;
  /** Stops accepting connections. Settles when all are closed. @param drainMs time for open requests */
  stop(drainMs?: number): Promise<void>;
}

// Shorter than Node's defaults of a minute and more, because requests to our servers are small.
export const defaultServerTimeouts: ServerTimeouts = {
  headersMs: 5_000,
  requestMs: 10_000,
  body: { graceMs: 3_000, bytesPerSecond: 32 * 1024 },
  checkIntervalMs: 1_000,
};

/** Limits for servers whose clients are all on this machine and so have one address. */
const localCaps: ConnectionCaps = { maxConnections: 200, maxOfNetwork: 200 };
const maxRequestsPerConnection = 1_000;

/** Starts a server. Rejects if the port is in use. */
export async function startServer(
  listener: RequestListener,
  { host, port, timeouts = defaultServerTimeouts, caps = localCaps }: HttpServerOptions,
): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: timeouts.headersMs,
      requestTimeout: timeouts.requestMs,
      connectionsCheckingInterval: timeouts.checkIntervalMs,
      keepAliveTimeout: 5_000,
      // The size is set explicitly, because a Node option could raise the default.
      maxHeaderSize: 16 * 1024,
      insecureHTTPParser: false,
    },
    listener,
  );
  server.maxRequestsPerSocket = maxRequestsPerConnection;
  const connections = capConnections(server, caps);
  const boundPort = await listen(server, { host, port });
  const timer = setInterval(() => connections.closeSlow(timeouts.body), timeouts.checkIntervalMs);
  timer.unref();
  return {
    port: boundPort,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${boundPort}`,
    async stop(drainMs = 0) {
      clearInterval(timer);
      const whenClosed = new Promise((resolve) => server.close(resolve));
      const drainTimer = setTimeout(() => server.closeAllConnections(), drainMs);
      await whenClosed;
      clearTimeout(drainTimer);
    },
  };
}

/** Starts listening and resolves to the port, which the system chooses for `port: 0`. */
export async function listen(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
}
