// Refuses client URLs that point to private, internal and metadata addresses.
import { lookup } from 'node:dns/promises';
import { findAddressesProblem } from 'renderline/api/network/network-guard';
import { isMetadataHost, isPrivateHost } from 'renderline/api/network/private-addresses';

/** Thrown for a forbidden URL. The message contains the reason, without the URL's query. */
export class UnsafeUrlError extends Error {
  override name = 'UnsafeUrlError';
}

/**
 * Parses an http(s) URL without user name and password. URL parsing normalizes every spelling of an address (decimal,
 * octal, hex or short). Metadata hosts are always refused, and private hosts unless allowed. Resolves no names.
 * @throws UnsafeUrlError
 */
export function parsePublicUrl(text: string, allowPrivate: boolean): URL {
  if (!URL.canParse(text)) throw new UnsafeUrlError('not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UnsafeUrlError(`must be an http or https URL, not ${url.protocol}`);
  }
  if (url.username || url.password)
    throw new UnsafeUrlError('must not contain a user name or password');
  const isUnsafe = allowPrivate ? isMetadataHost : isPrivateHost;
  if (isUnsafe(url))
    throw new UnsafeUrlError(`${url.hostname} is private, internal or a metadata host`);
  return url;
}

/**
 * Checks the addresses of a host name. Metadata addresses are always refused, and private addresses unless allowed.
 * @throws UnsafeUrlError
 */
export function assertSafeAddresses(
  hostname: string,
  addresses: readonly string[],
  allowPrivate: boolean,
  findProblem = findAddressesProblem,
): void {
  const problem = findProblem(addresses, allowPrivate ? 'any' : 'public');
  if (problem !== null) throw new UnsafeUrlError(`${hostname} is refused: ${problem}`);
}

/** Returns all addresses of a host name from the system's resolver. */
export async function resolveByDns(hostname: string): Promise<string[]> {
  const addresses = await lookup(hostname, { all: true });
  return addresses.map(({ address }) => address);
}
