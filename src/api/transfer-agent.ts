// Connections to object storage: without key or redirects, to checked addresses, for a time in proportion to the size.
import type { Dispatcher } from 'undici';
import { TransportError } from './errors.ts';
import { httpAgent } from './http-agents.ts';
import type { Network } from './network-guard.ts';
import { LinkExpiredError, TransferError, TransferRefusedError } from './transfer-errors.ts';
import { transportError } from './transport.ts';

export interface TransferTimeouts {
  /** Longest silence in either direction. @default 60_000 */
  idleMs?: number | undefined;
  /** Longest time of a transfer. @default one minute, and a second more for every 256 KiB */
  totalMs?: number | undefined;
}

const defaultIdleMs = 60_000;
const slowestBytesPerMs = 256 * 1.024;

export function idleMsOf(timeouts: TransferTimeouts): number {
  return timeouts.idleMs ?? defaultIdleMs;
}

/** Longest time for `bytes`, in ms; an hour for an unknown size, as long as its link lives. */
export function totalMsOf(timeouts: TransferTimeouts, bytes: number | undefined): number {
  if (timeouts.totalMs !== undefined) return timeouts.totalMs;
  return bytes === undefined ? 3_600_000 : 60_000 + Math.ceil(bytes / slowestBytesPerMs);
}

const agents = new Map<Network, Dispatcher>();

/** One connection pool per process and network policy. Idle connections do not keep the process alive. */
export function transferAgent(network: Network): Dispatcher {
  const existing = agents.get(network);
  if (existing) return existing;
  const agent = httpAgent(network, { connections: 32 });
  agents.set(network, agent);
  return agent;
}

const expiredStatuses = new Set([401, 403, 410]);

/** The error for a storage answer that is not a success. */
export function storageError(operation: string, host: string, status: number, body: string): Error {
  if (expiredStatuses.has(status) || (status === 400 && /expired/i.test(body))) {
    return new LinkExpiredError(host, status);
  }
  if (status >= 500 || status === 429 || status === 408) {
    const code = `HTTP_${status}`;
    return new TransportError(operation, 'sent', code, `${host} answered with status ${status}`);
  }
  return new TransferRefusedError(host, status, 'storage refuses the transfer');
}

/** Start of an answer, at most `maxBytes`; the rest is not read. */
export async function readStart(body: AsyncIterable<Uint8Array>, maxBytes = 4096): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= maxBytes) break;
  }
  return Buffer.concat(chunks).toString('utf8', 0, maxBytes);
}

/** Makes a network error a TransportError that names the host; our own errors pass unchanged. */
export function transferFault(operation: string, host: string, error: unknown): Error {
  if (error instanceof TransferError || error instanceof TransportError) return error;
  return transportError(operation, host, error);
}
