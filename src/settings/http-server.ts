// How the servers of workers and commands listen: patience with senders, room for all of them, and an end.
import { createServer, type RequestListener, type Server } from 'node:http';
import { type BodyPace, type ConnectionCaps, capConnections } from './connections.ts';

/** Patience with the sender of a request. */
export interface Patience {
  headersMs: number;
  /** Headers and body together. */
  requestMs: number;
  body: BodyPace;
  /** How often all of it is checked. */
  checkMs: number;
}

export interface ServerPlace {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** @default defaultPatience */
  patience?: Patience | undefined;
  /** @default localCaps */
  caps?: ConnectionCaps | undefined;
}

export interface RunningServer {
  port: number;
  /** Scheme, host and port. */
  origin: string;
  /** Takes no more, and settles when all is closed. @param drainMs time for requests under way */
  stop(drainMs?: number): Promise<void>;
}

// Node's own limits are a minute and more; requests to us are small.
export const defaultPatience: Patience = {
  headersMs: 5_000,
  requestMs: 10_000,
  body: { graceMs: 3_000, bytesPerSecond: 32 * 1024 },
  checkMs: 1_000,
};
/** For servers of one machine, whose clients all have one address. */
export const localCaps: ConnectionCaps = { max: 200, maxOfNetwork: 200 };
const requestsOfConnection = 1_000;

/** Starts a server. Rejects when the port is taken. */
export async function startServer(
  answer: RequestListener,
  { host, port, patience = defaultPatience, caps = localCaps }: ServerPlace,
): Promise<RunningServer> {
  const server = createServer(
    {
      headersTimeout: patience.headersMs,
      requestTimeout: patience.requestMs,
      connectionsCheckingInterval: patience.checkMs,
      keepAliveTimeout: 5_000,
      // An option of Node could raise it.
      maxHeaderSize: 16 * 1024,
      insecureHTTPParser: false,
    },
    answer,
  );
  server.maxRequestsPerSocket = requestsOfConnection;
  const connections = capConnections(server, caps);
  const taken = await listen(server, { host, port });
  const timer = setInterval(() => connections.endSlow(patience.body), patience.checkMs);
  timer.unref();
  return {
    port: taken,
    origin: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    async stop(drainMs = 0) {
      clearInterval(timer);
      const closed = new Promise((done) => server.close(done));
      const drained = setTimeout(() => server.closeAllConnections(), drainMs);
      await closed;
      clearTimeout(drained);
    },
  };
}

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
