// Connections to the platform's object storage, with no API key, no redirects, checked addresses, and timeouts by size.
import type { Dispatcher } from 'undici';
import { TransportError } from '../errors/errors.ts';
import {
  LinkExpiredError,
  TransferError,
  TransferRefusedError,
} from '../errors/transfer-errors.ts';
import { createHttpAgent } from './http-agents.ts';
import type { Network } from './network-guard.ts';
import { toTransportError } from './transport.ts';

export interface TransferTimeouts {
  /** Maximum silence in either direction. @default 60_000 */
  idleMs?: number | undefined;
  /** Maximum time of a transfer. @default one minute plus one second per 256 KiB, or one hour if the size is unknown */
  totalMs?: number | undefined;
}

const defaultIdleMs = 60_000;
const slowestBytesPerMs = 256 * 1.024;

export function idleMsOf(timeouts: TransferTimeouts): number {
  return timeouts.idleMs ?? defaultIdleMs;
}

/** Returns the maximum time for `bytes`, in ms. For an unknown size, one hour, the lifetime of a signed link. */
export function totalMsOf(timeouts: TransferTimeouts, bytes: number | undefined): number {
  if (timeouts.totalMs !== undefined) return timeouts.totalMs;
  return bytes === undefined ? 3_600_000 : 60_000 + Math.ceil(bytes / slowestBytesPerMs);
}

const agents = new Map<Network, Dispatcher>();

/** Returns the connection pool of a network policy, one per process. Idle connections do not keep the process alive. */
export function transferAgent(network: Network): Dispatcher {
  const agent = agents.get(network) ?? createHttpAgent(network, { connections: 32 });
  agents.set(network, agent);
  return agent;
}

const expiredStatuses = new Set([401, 403, 410]);
const temporaryStatuses = new Set([408, 425, 429]);
/** Codes of S3 and compatible stores, with status 400 or 409, after a stalled or broken upload: a retry may succeed. */
const temporaryCodes =
  /<Code>\s*(?:RequestTimeout|IncompleteBody|OperationAborted|UploadBrokenConnection)\s*<\/Code>/i;

export function createStorageError(
  operation: string,
  host: string,
  status: number,
  body: string,
): Error {
  if (expiredStatuses.has(status) || (status === 400 && /expired/i.test(body))) {
    return new LinkExpiredError(host, status);
  }
  if (status >= 500 || temporaryStatuses.has(status) || temporaryCodes.test(body)) {
    const code = `HTTP_${status}`;
    return new TransportError(operation, 'sent', code, `${host} responded with status ${status}`);
  }
  return new TransferRefusedError(host, status, 'the storage refused the transfer');
}

/** Returns the start of a response body, at most `maxBytes`. The rest is not read. */
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

/** Converts a network error to a TransportError that contains the host. Our own errors are returned unchanged. */
export function createTransferError(operation: string, host: string, error: unknown): Error {
  if (error instanceof TransferError || error instanceof TransportError) return error;
  return toTransportError(operation, host, error);
}
