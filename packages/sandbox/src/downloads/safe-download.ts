// Opens a download for a client. Every redirect is checked, and the connection goes to the checked address.

import { isIPv6 } from 'node:net';
import type { Readable } from 'node:stream';
import { addressOf, isPrivateAddress } from 'renderline/api/network/private-addresses';
import { Agent, request } from 'undici';
import { parsePublicUrl, UnsafeUrlError } from './private-network.ts';

const maxHops = 5;
const connectMs = 5_000;
const idleMs = 15_000;

/** Thrown when no server responds at the URL. */
export class UnreachableUrlError extends Error {
  override name = 'UnreachableUrlError';
}

export interface DownloadOptions {
  readonly allowPrivate: boolean;
  readonly resolve: (hostname: string) => Promise<string[]>;
  /** Decides which resolved addresses are forbidden. @default isPrivateAddress */
  readonly isPrivate?: (address: string) => boolean;
  /** Called when a connection is established. */
  readonly onConnected?: () => void;
  /** Aborts the download. */
  readonly signal: AbortSignal;
}

export interface Download {
  readonly status: number;
  /** Length of the body by its Content-Length; undefined if the response does not say. */
  readonly bytes: number | undefined;
  readonly body: Readable;
  /** Must be called when the body is read or abandoned. */
  close(): Promise<void>;
}

/** Follows redirects to the final response. @throws UnsafeUrlError, UnreachableUrlError */
export async function openDownload(text: string, options: DownloadOptions): Promise<Download> {
  let url = parsePublicUrl(text, options.allowPrivate);
  for (let hop = 0; hop <= maxHops; hop += 1) {
    const address = await safeAddress(url, options);
    const agent = pinnedAgent(address);
    agent.on('connect', () => options.onConnected?.());
    const answer = await request(url, { dispatcher: agent, signal: options.signal }).catch(
      async (error: unknown) => {
        await agent.destroy();
        throw new UnreachableUrlError(`${url.host} cannot be reached (${codeOf(error)})`);
      },
    );
    const { statusCode: status, headers, body } = answer;
    const location = headers['location'];
    if (status < 300 || status > 399 || typeof location !== 'string') {
      const length = Number(headers['content-length']);
      return {
        status,
        bytes: Number.isFinite(length) ? length : undefined,
        body,
        close: () => agent.destroy(),
      };
    }
    await agent.destroy();
    if (!URL.canParse(location, url.href))
      throw new UnsafeUrlError('redirects to something that is not a URL');
    url = parsePublicUrl(new URL(location, url).href, options.allowPrivate);
  }
  throw new UnsafeUrlError(`redirects more than ${maxHops} times`);
}

/**
 * The address to connect to. Unless private addresses are allowed, a name with any private address is refused.
 * @throws UnsafeUrlError, UnreachableUrlError
 */
export async function safeAddress(url: URL, options: DownloadOptions): Promise<string> {
  const literal = addressOf(url);
  const addresses =
    literal === undefined
      ? await options.resolve(url.hostname).catch((error: unknown) => {
          throw new UnreachableUrlError(`${url.hostname} cannot be resolved (${codeOf(error)})`);
        })
      : [literal];
  const [first] = addresses;
  if (first === undefined) throw new UnreachableUrlError(`${url.hostname} has no address`);
  const { isPrivate = isPrivateAddress } = options;
  if (!options.allowPrivate && addresses.some(isPrivate)) {
    throw new UnsafeUrlError(`${url.hostname} resolves to a private network`);
  }
  return first;
}

/** An agent that connects to this address, even if DNS changes meanwhile. */
export function pinnedAgent(address: string): Agent {
  const family = isIPv6(address) ? 6 : 4;
  return new Agent({
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    connect: {
      timeout: connectMs,
      lookup: (_hostname, { all }, done) => {
        if (all) done(null, [{ address, family }]);
        else done(null, address, family);
      },
    },
  });
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'unknown';
}
