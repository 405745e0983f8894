// Opens a download for a client. Every redirect is checked, and the connection goes to the checked address.

import { isIPv6 } from 'node:net';
import type { Readable } from 'node:stream';
import type { findAddressesProblem } from 'renderline/api/network/network-guard';
import { findAddress } from 'renderline/api/network/private-addresses';
import { Agent, request } from 'undici';
import { assertSafeAddresses, parsePublicUrl, UnsafeUrlError } from './private-network.ts';

const maxHops = 5;
const connectMs = 5_000;
const idleMs = 15_000;

/** Thrown when the host has no address, or no server responds at the URL. */
export class UnreachableUrlError extends Error {
  override name = 'UnreachableUrlError';
}

export interface DownloadOptions {
  readonly allowPrivate: boolean;
  readonly resolve: (hostname: string) => Promise<string[]>;
  /** Decides which resolved addresses are forbidden. @default findAddressesProblem */
  readonly findProblem?: typeof findAddressesProblem;
  /** Called when a connection is established. */
  readonly onConnected?: () => void;
  /** Aborts the download. */
  readonly signal: AbortSignal;
}

export interface Download {
  readonly status: number;
  /** Length of the body according to its Content-Length. Undefined if the response does not have one. */
  readonly bytes: number | undefined;
  readonly body: Readable;
  /** Must be called when the body is read or abandoned. */
  close(): Promise<void>;
}

/** Follows redirects to the final response. @throws UnsafeUrlError, UnreachableUrlError */
export async function openDownload(text: string, options: DownloadOptions): Promise<Download> {
  let url = parsePublicUrl(text, options.allowPrivate);
  for (let hop = 0; hop <= maxHops; hop += 1) {
    const agent = createPinnedAgent(await resolveSafeAddresses(url, options));
    agent.on('connect', () => options.onConnected?.());
    const response = await request(url, { dispatcher: agent, signal: options.signal }).catch(
      async (error: unknown) => {
        await agent.destroy();
        throw new UnreachableUrlError(`${url.host} cannot be reached (${codeOf(error)})`);
      },
    );
    const { statusCode: status, headers, body } = response;
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

/** Returns the addresses to connect to, at least one. @throws UnsafeUrlError, UnreachableUrlError */
export async function resolveSafeAddresses(
  url: URL,
  options: Omit<DownloadOptions, 'signal'>,
): Promise<string[]> {
  const literal = findAddress(url);
  const addresses =
    literal === undefined
      ? await options.resolve(url.hostname).catch((error: unknown) => {
          throw new UnreachableUrlError(`${url.hostname} cannot be resolved (${codeOf(error)})`);
        })
      : [literal];
  if (addresses.length === 0) throw new UnreachableUrlError(`${url.hostname} has no address`);
  assertSafeAddresses(url.hostname, addresses, options.allowPrivate, options.findProblem);
  return addresses;
}

/** Creates an agent that connects to the first responding address of these, even if DNS changes later. */
export function createPinnedAgent(addresses: readonly string[]): Agent {
  const lookupAddresses = addresses.map((address) => ({
    address,
    family: isIPv6(address) ? 6 : 4,
  }));
  return new Agent({
    headersTimeout: idleMs,
    bodyTimeout: idleMs,
    connect: {
      timeout: connectMs,
      lookup: (_hostname, { all }, callback) => {
        if (all) callback(null, lookupAddresses);
        else callback(null, lookupAddresses[0]?.address ?? '', lookupAddresses[0]?.family);
      },
    },
  });
}

function codeOf(error: unknown): string {
  const { code, name } = error as { code?: string; name?: string };
  return code ?? name ?? 'unknown';
}
