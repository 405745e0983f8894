// Probes a TCP address. A probe fails faster and with a clearer reason than a gRPC deadline.
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { classifyNetworkError } from '../../api/network/network-errors.ts';
import { openTunnel, type Proxy } from '../../api/network/proxy.ts';
import { omitUndefined } from '../../plan/helpers/omit-undefined.ts';

export interface HostPort {
  host: string;
  port: number;
}

/** Splits `host:port`, `host` or `[v6]:port`. The default port is Temporal's 7233. */
export function splitAddress(address: string): HostPort {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:]*))(?::(?<port>\d+))?$/.exec(address);
  const groups = match?.groups;
  return {
    host: groups?.['v6'] ?? groups?.['host'] ?? address,
    port: Number(groups?.['port'] ?? 7233),
  };
}

/** Returns the address as a URL, to choose a proxy for it. @throws TypeError if the address is invalid */
export function toAddressUrl(address: string): URL {
  const { host, port } = splitAddress(address);
  return new URL(`https://${host.includes(':') ? `[${host}]` : host}:${port}`);
}

/** Returns undefined if a server accepts the connection, otherwise the reason as text. Never throws. */
export async function probeAddress(
  address: string,
  timeoutMs: number,
  proxy: Proxy | null = null,
): Promise<string | undefined> {
  const { host, port } = splitAddress(address);
  if (!host || port < 1 || port > 65_535) return 'not a host:port address';
  if (proxy !== null) {
    const tunnel = await openTunnelTo(address, timeoutMs, proxy);
    if (!(tunnel instanceof Error)) return void tunnel.destroy();
    return classifyNetworkError(tunnel, host)?.reason ?? tunnel.message;
  }
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reason?: string) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(timeoutMs, () => end(`no response within ${timeoutMs / 1_000} s`));
    socket.once('connect', () => end());
    socket.on('error', (error) => end(classifyNetworkError(error, host)?.reason ?? error.message));
  });
}

function openTunnelTo(address: string, timeoutMs: number, proxy: Proxy): Promise<Socket | Error> {
  return new Promise((resolve) => openTunnel(proxy, toAddressUrl(address), timeoutMs, resolve));
}

export interface ProbedTls {
  serverNameOverride?: string;
  serverRootCACertificate?: Uint8Array;
  clientCertPair?: { crt: Uint8Array; key: Uint8Array };
}

/** `server`: the problem of the server's certificate. `client`: the server rejects our certificate, or requires one. */
export type TlsTrouble = { server: string } | 'client';

/**
 * Finds out why the TLS handshake fails. Undefined if it succeeds, or if certificates are not the reason. Never throws.
 */
export async function probeCertificates(
  address: string,
  tls: ProbedTls,
  timeoutMs: number,
  proxy: Proxy | null = null,
): Promise<TlsTrouble | undefined> {
  const { host, port } = splitAddress(address);
  const { serverNameOverride: name, serverRootCACertificate: ca, clientCertPair: pair } = tls;
  const servername = name ?? (isIP(host) === 0 ? host : undefined);
  const tunnel = proxy && (await openTunnelTo(address, timeoutMs, proxy));
  if (tunnel instanceof Error) return undefined;
  return new Promise((resolve) => {
    const socket = connectTls({
      ...(tunnel === null ? { host, port } : { socket: tunnel }),
      ALPNProtocols: ['h2'],
      ...omitUndefined({ servername, ca: ca && Buffer.from(ca) }),
      ...(pair ? { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) } : {}),
    });
    let isSecure = false;
    const end = (reason?: TlsTrouble) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(timeoutMs, () => end());
    socket.once('secureConnect', () => {
      isSecure = true;
    });
    // With TLS 1.3 the client finishes the handshake before the server has checked the client certificate. An HTTP/2
    // server that accepts the certificate sends its settings first, so the first data means success.
    socket.once('data', () => end());
    socket.once('close', () => end(isSecure ? 'client' : undefined));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const networkError = classifyNetworkError(error, name ?? address);
      const isAlert = /ALERT.*(?:CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/.test(error.code ?? '');
      if (networkError?.errorKind === 'certificate') end({ server: networkError.reason });
      else end(isSecure || isAlert ? 'client' : undefined);
    });
  });
}
