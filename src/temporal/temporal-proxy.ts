// The way to Temporal: directly, or through the proxy of the environment (HTTP CONNECT), the same for commands and workers.
import type { Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import { type Proxy, ProxyError, proxyCredentials, proxyFor, proxyNamed } from '../api/proxy.ts';
import type { Environment } from '../settings/cache-dir.ts';
import { addressUrl, splitAddress } from './address-probe.ts';
import type { TemporalSettings } from './temporal-settings.ts';

type ClientOptions = NonNullable<Parameters<typeof Connection.lazy>[0]>;
type WorkerOptions = NonNullable<Parameters<typeof NativeConnection.connect>[0]>;

/**
 * The proxy to the address of Temporal, null for the direct way: that of `grpc_proxy`, and for TLS also that of `HTTPS_PROXY`.
 * A server without TLS stands in the same network, so that only `grpc_proxy` leads to it. `NO_PROXY` holds for both.
 * @throws ProxyError for a value that is no address of an http proxy: gRPC knows no others
 */
export function temporalProxy(
  { address, connectionOptions: { tls } }: TemporalSettings,
  env: Environment,
): Proxy | null {
  const own = env['grpc_proxy']?.trim();
  const { host, port } = splitAddress(address);
  if ((!tls && !own) || host === '' || port > 65_535) return null;
  const proxy = proxyFor(addressUrl(address), own ? { ...env, https_proxy: own } : env);
  if (proxy === null) return null;
  if (proxy.url.protocol === 'http:') return own ? proxyNamed('grpc_proxy', own) : proxy;
  const message = `Temporal is reached through http proxies only, and ${proxy.shown} is an https one`;
  throw new ProxyError('PROXY_ADDRESS', message);
}

/** What the client's library needs to go this way; by itself it would look at fewer variables. */
export function clientWay(proxy: Proxy | null, address: string): Partial<ClientOptions> {
  if (proxy === null) return { channelArgs: { 'grpc.enable_http_proxy': 0 } };
  const auth = proxyCredentials(proxy);
  return {
    address: hostOf(proxy),
    channelArgs: {
      'grpc.enable_http_proxy': 0,
      'grpc.http_connect_target': `dns:${address}`,
      'grpc.default_authority': address,
      ...(auth ? { 'grpc.http_connect_creds': `${auth.username}:${auth.password}` } : {}),
    },
  };
}

/** The same for the worker's part of the SDK. */
export function workerWay(proxy: Proxy | null): Partial<WorkerOptions> {
  if (proxy === null) return {};
  const basicAuth = proxyCredentials(proxy);
  const targetHost = hostOf(proxy);
  return { proxy: { type: 'http-connect', targetHost, ...(basicAuth ? { basicAuth } : {}) } };
}

function hostOf({ url: { hostname, port } }: Proxy): string {
  return `${hostname}:${port || '80'}`;
}
