// Probes a TCP address: quicker and clearer than waiting for a gRPC deadline.
import { connect, isIP } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { certificateFault } from '../api/certificates.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';

export interface HostPort {
  host: string;
  port: number;
}

/** `host:port`, `host`, `[v6]:port`; the port is Temporal's 7233 unless said. */
export function splitAddress(address: string): HostPort {
  const match = /^(?:\[(?<v6>[^\]]+)\]|(?<host>[^:]*))(?::(?<port>\d+))?$/.exec(address);
  const groups = match?.groups;
  return {
    host: groups?.['v6'] ?? groups?.['host'] ?? address,
    port: Number(groups?.['port'] ?? 7233),
  };
}

/** Undefined when somebody accepts the connection, else the reason in words. Never throws. */
export function probeAddress(address: string, timeoutMs: number): Promise<string | undefined> {
  const { host, port } = splitAddress(address);
  if (!host || port < 1 || port > 65_535) return Promise.resolve('not a host:port address');
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (reason?: string) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(timeoutMs, () => end(`no answer in ${timeoutMs / 1_000} s`));
    socket.once('connect', () => end());
    socket.on('error', (error) => end(reasonOf(error)));
  });
}

export interface ProbedTls {
  serverNameOverride?: string;
  serverRootCACertificate?: Uint8Array;
  clientCertPair?: { crt: Uint8Array; key: Uint8Array };
}

/** `server`: what is wrong with its certificate, in words. `client`: it does not let in who shows ours, or none. */
export type TlsTrouble = { server: string } | 'client';

/** Why no secure connection comes about; undefined where one does, or it is not about certificates. Never throws. */
export function probeCertificates(
  address: string,
  tls: ProbedTls,
  timeoutMs: number,
): Promise<TlsTrouble | undefined> {
  const { host, port } = splitAddress(address);
  const { serverNameOverride: name, serverRootCACertificate: ca, clientCertPair: pair } = tls;
  const servername = name ?? (isIP(host) === 0 ? host : undefined);
  return new Promise((resolve) => {
    const socket = connectTls({
      host,
      port,
      ALPNProtocols: ['h2'],
      ...withoutUndefined({ servername, ca: ca && Buffer.from(ca) }),
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
    // With TLS 1.3 the server looks at our certificate after we think that all is well. One that lets us in speaks first.
    socket.once('data', () => end());
    socket.once('close', () => end(isSecure ? 'client' : undefined));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      const fault = certificateFault(error.code ?? '', name ?? address);
      const isAlert = /ALERT.*(?:CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)/.test(error.code ?? '');
      end(fault === null ? (isSecure || isAlert ? 'client' : undefined) : { server: fault });
    });
  });
}

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host (no name server answers)',
  EHOSTUNREACH: 'host not reachable',
  ENETUNREACH: 'network not reachable',
};

function reasonOf(error: Error): string {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return reasons[code] ?? (error.message || code || 'connection failed');
}
