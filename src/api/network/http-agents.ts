// Connections of all HTTP clients of Renderline, to checked addresses and through the proxy that the environment sets.
import { type ClientRequestArgs, Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import type { Agent, buildConnector } from 'undici';
import { loadHttpLibrary } from './load-http-library.ts';
import { createGuardedLookup, findForbiddenNameError, type Network } from './network-guard.ts';
import { findProxy, openTunnel, type Proxy } from './proxy.ts';

const connectMs = 10_000;

export type AgentOptions = Omit<Agent.Options, 'connect'> & {
  /** @default 10_000 */
  connectMs?: number;
};

/**
 * Creates a connection pool of our HTTP library. A proxy resolves host names itself, so if one is used, only the text
 * of a name is checked. The proxy's own address is trusted, because the operator sets it.
 */
export function createHttpAgent(network: Network, options: AgentOptions = {}): Agent {
  const library = loadHttpLibrary();
  const { connectMs: timeout = connectMs, ...others } = options;
  const connect = library.buildConnector({ timeout, lookup: createGuardedLookup(network) });
  return new library.Agent({ ...others, connect: createProxyConnector(connect, network, timeout) });
}

function createProxyConnector(
  connect: buildConnector.connector,
  network: Network,
  timeoutMs: number,
): buildConnector.connector {
  return (options, callback) => {
    const fail = (error: Error) => callback(error, null);
    const { protocol, hostname, port } = options;
    const route = findProxyRoute(toAddress(protocol, hostname, port), network);
    if (route instanceof Error) return fail(route);
    if (route === null) return connect(options, callback);
    openTunnel(route.proxy, route.url, timeoutMs, (tunnel) => {
      if (tunnel instanceof Error) fail(tunnel);
      else if (protocol === 'https:') connect({ ...options, httpSocket: tunnel }, callback);
      else callback(null, tunnel);
    });
  };
}

function toAddress(protocol: string, host: string, port: string | number | null | undefined): URL {
  const bare = host.replace(/^\[|\]$/g, '');
  return new URL(
    `${protocol}//${bare.includes(':') ? `[${bare}]` : bare}${port ? `:${port}` : ''}`,
  );
}

/** Returns the proxy for an address, null if there is none, or an error if it must not be used or is set wrongly. */
function findProxyRoute(url: URL, network: Network): { url: URL; proxy: Proxy } | null | Error {
  try {
    const proxy = findProxy(url);
    if (proxy === null) return null;
    return findForbiddenNameError(url, network) ?? { url, proxy };
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

type ConnectCallback = (error: Error | null, socket: Duplex) => void;

/** Agents for libraries that use Node's own HTTP client. Stores and collectors may be in a private network. */
export function createNodeAgents(): { http: HttpAgent; https: HttpsAgent } {
  const options = { keepAlive: true, maxSockets: 50, lookup: createGuardedLookup('any') };
  return { http: new ProxiedHttpAgent(options), https: new ProxiedHttpsAgent(options) };
}

class ProxiedHttpAgent extends HttpAgent {
  override createConnection(options: ClientRequestArgs, callback?: ConnectCallback) {
    const direct = () => super.createConnection(options, callback);
    return connectThroughProxy('http:', options, callback, direct, (socket) => socket);
  }
}

class ProxiedHttpsAgent extends HttpsAgent {
  override createConnection(options: RequestOptions, callback?: ConnectCallback) {
    const direct = () => super.createConnection(options, callback);
    return connectThroughProxy('https:', options, callback, direct, (socket) => {
      const overTunnel = { ...options, socket };
      const secure = super.createConnection(overTunnel);
      if (!secure) throw new TypeError('no TLS socket was created');
      return secure;
    });
  }
}

function connectThroughProxy(
  protocol: string,
  { host, port }: ClientRequestArgs,
  callback: ConnectCallback | undefined,
  direct: () => Duplex | null | undefined,
  through: (tunnel: Duplex) => Duplex,
): Duplex | null | undefined {
  const route = findProxyRoute(toAddress(protocol, host ?? 'localhost', port), 'any');
  if (route === null || callback === undefined) return direct();
  // The cast is needed, because the type requires a socket although there is none after an error.
  const fail = (error: Error) => (callback as (error: Error) => void)(error);
  if (route instanceof Error) process.nextTick(fail, route);
  else {
    openTunnel(route.proxy, route.url, connectMs, (tunnel) => {
      if (tunnel instanceof Error) fail(tunnel);
      else callback(null, through(tunnel));
    });
  }
  return undefined;
}
