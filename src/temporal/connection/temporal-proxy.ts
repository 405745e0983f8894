// Chooses how commands and workers connect to Temporal: directly, or through the HTTP CONNECT proxy of the environment.
import type { Connection } from '@temporalio/client';
import type { NativeConnection } from '@temporalio/worker';
import {
  findCredentials,
  findProxy,
  type Proxy,
  ProxyError,
  parseProxy,
} from '../../api/network/proxy.ts';
import type { Environment } from '../../settings/environment.ts';
import { splitAddress, toAddressUrl } from './address-probe.ts';
import type { TemporalSettings } from './read-temporal-settings.ts';

type ClientOptions = NonNullable<Parameters<typeof Connection.lazy>[0]>;
type WorkerOptions = NonNullable<Parameters<typeof NativeConnection.connect>[0]>;

/**
 * Returns the proxy for the address of Temporal, or null for a direct connection. Uses `grpc_proxy`, and with TLS also
 * `HTTPS_PROXY`. A server without TLS is assumed to be in the same network, so `HTTPS_PROXY` does not apply. `NO_PROXY`
 * applies to both.
 * @throws ProxyError if the value is not the address of an http proxy, because gRPC supports no others
 */
export function findTemporalProxy(
  { address, connectionOptions: { tls } }: TemporalSettings,
  env: Environment,
): Proxy | null {
  const grpcProxy = env['grpc_proxy']?.trim();
  const { host, port } = splitAddress(address);
  if ((!tls && !grpcProxy) || host === '' || port > 65_535) return null;
  const proxy = findProxy(
    toAddressUrl(address),
    grpcProxy ? { ...env, https_proxy: grpcProxy } : env,
  );
  if (proxy === null) return null;
  if (proxy.url.protocol === 'http:')
    return grpcProxy ? parseProxy('grpc_proxy', grpcProxy) : proxy;
  const message = `Temporal can be reached through http proxies only, and ${proxy.label} is an https proxy`;
  throw new ProxyError('PROXY_ADDRESS', message);
}

/** Returns proxy options of the client library. Its own detection is off, because it reads fewer variables. */
export function toClientProxyOptions(proxy: Proxy | null, address: string): Partial<ClientOptions> {
  if (proxy === null) return { channelArgs: { 'grpc.enable_http_proxy': 0 } };
  const auth = findCredentials(proxy);
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

/** Returns the proxy options of the SDK's worker connection. */
export function toWorkerProxyOptions(proxy: Proxy | null): Partial<WorkerOptions> {
  if (proxy === null) return {};
  const basicAuth = findCredentials(proxy);
  const targetHost = hostOf(proxy);
  return { proxy: { type: 'http-connect', targetHost, ...(basicAuth ? { basicAuth } : {}) } };
}

function hostOf({ url: { hostname, port } }: Proxy): string {
  return `${hostname}:${port || '80'}`;
}
