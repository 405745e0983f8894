// Finds the proxy for a connection in the usual environment variables, and opens tunnels through it.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { decodePercent } from '../unknown-values.ts';
import { isLoopback } from './private-addresses.ts';

type Variables = Readonly<Record<string, string | undefined>>;

export interface Proxy {
  variable: string;
  /** May contain a password, so messages show `label` instead. */
  url: URL;
  /** Host and port of the proxy and the name of the variable, without user and password. */
  label: string;
}

/**
 * - `PROXY_ADDRESS`: the variable is not the address of an http or https proxy.
 * - `PROXY_UNREACHABLE`: the connection to the proxy fails or takes too long.
 * - `PROXY_AUTH`: the proxy requires a user and a password, or refuses them (407).
 * - `PROXY_DENIED`: the proxy refuses connections to the host.
 * - `PROXY_NO_WAY`: the proxy cannot reach the host (5xx).
 */
export type ProxyCode =
  | 'PROXY_ADDRESS'
  | 'PROXY_UNREACHABLE'
  | 'PROXY_AUTH'
  | 'PROXY_DENIED'
  | 'PROXY_NO_WAY';

/** The proxy cannot be used, so nothing was sent. Messages contain neither user nor password. */
export class ProxyError extends Error {
  override name = 'ProxyError';
  readonly code: ProxyCode;

  constructor(code: ProxyCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const defaultPorts: Readonly<Record<string, string | undefined>> = {
  'http:': '80',
  'https:': '443',
};

/** Variables that set proxies. The first two apply only to https, the others to http and, if alone, to https too. */
export const proxyVariables = ['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY'] as const;

/**
 * Returns the proxy for an address, or null for a direct connection. The scheme determines whether `HTTPS_PROXY` or
 * `HTTP_PROXY` applies. A lower-case variable takes precedence. `HTTP_PROXY` also applies to https if no other variable
 * is set. Loopback addresses are always connected directly, because a proxy would connect to its own machine.
 * @param env @default the environment of the process, which SDKs of object stores read too
 * @throws ProxyError for an invalid proxy address
 */
export function findProxy(url: URL, env: Variables = process.env): Proxy | null {
  const isSecure = url.protocol === 'https:';
  const names = isSecure ? proxyVariables : proxyVariables.slice(2);
  const variable = names.find((name) => env[name]?.trim());
  if (variable === undefined || isLoopback(url.hostname) || isExcludedHost(url, env)) return null;
  return parseProxy(variable, env[variable]?.trim() ?? '');
}

/** Parses the address of a proxy. @throws ProxyError for an invalid address */
export function parseProxy(variable: string, text: string): Proxy {
  const address = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || defaultPorts[url.protocol] === undefined) {
    const message = `${variable} is not the address of an http or https proxy, such as http://proxy.example.com:3128`;
    throw new ProxyError('PROXY_ADDRESS', message);
  }
  return { variable, url, label: `${url.hostname}:${portOf(url)} (${variable})` };
}

/** True if `NO_PROXY` lists the host. Matches like undici, except that `*` may be one of several entries. */
function isExcludedHost(url: URL, env: Variables): boolean {
  const list = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  return list.split(/[,\s]+/).some((entry) => {
    if (entry === '') return false;
    if (entry === '*') return true;
    const [, name = entry, port] = /^(.+):(\d+)$/.exec(entry) ?? [];
    if (port !== undefined && port !== portOf(url)) return false;
    const host = name.replace(/^\*?\./, '').toLowerCase();
    return url.hostname === host || url.hostname.endsWith(`.${host}`);
  });
}

function portOf(url: URL): string {
  return url.port === '' ? (defaultPorts[url.protocol] ?? '') : url.port;
}

/** Returns the user and password for the proxy, or null if its address contains none. */
export function findCredentials({ url }: Proxy): { username: string; password: string } | null {
  if (url.username === '' && url.password === '') return null;
  // The text is decoded leniently, because a password may contain an unescaped `%`.
  return { username: decodePercent(url.username), password: decodePercent(url.password) };
}

function createAuthorization(proxy: Proxy): Record<string, string> {
  const credentials = findCredentials(proxy);
  if (credentials === null) return {};
  const { username, password } = credentials;
  const token = Buffer.from(`${username}:${password}`).toString('base64');
  return { 'proxy-authorization': `Basic ${token}` };
}

/** Opens a tunnel through the proxy (CONNECT). @param callback called once, with the connection or the ProxyError */
export function openTunnel(
  proxy: Proxy,
  target: URL,
  timeoutMs: number,
  callback: (result: Socket | ProxyError) => void,
): void {
  const { url, label } = proxy;
  const address = `${target.hostname}:${portOf(target)}`;
  const request = url.protocol === 'https:' ? requestHttps : requestHttp;
  const connecting = request({
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: portOf(url),
    method: 'CONNECT',
    path: address,
    headers: { host: address, ...createAuthorization(proxy) },
    agent: false,
    // The timeout applies until the response arrives. After that, the connection no longer belongs to this request.
    signal: AbortSignal.timeout(timeoutMs),
  });
  connecting.once('error', (cause) => {
    callback(new ProxyError('PROXY_UNREACHABLE', `the proxy ${label}`, { cause }));
  });
  connecting.once('connect', ({ statusCode = 0 }, socket, head) => {
    const refusal = findProxyError(statusCode, label, address);
    if (refusal === null) {
      if (head.length > 0) socket.unshift(head);
      return callback(socket);
    }
    socket.on('error', () => undefined).destroy();
    callback(refusal);
  });
  connecting.end();
}

function findProxyError(status: number, label: string, address: string): ProxyError | null {
  if (status >= 200 && status < 300) return null;
  const error = (code: ProxyCode, problem: string) =>
    new ProxyError(code, `the proxy ${label} ${problem} (status ${status})`);
  if (status === 407) return error('PROXY_AUTH', 'asks for a user and a password');
  if (status >= 500) return error('PROXY_NO_WAY', `cannot reach ${address}`);
  return error('PROXY_DENIED', `refuses connections to ${address}`);
}
