// Refuses client URLs to private, internal and metadata addresses.
import { lookup } from 'node:dns/promises';
import { isMetadataHost, isPrivateHost } from 'renderline/api/private-addresses';

/** Thrown for a URL that may not be used; the message says why, without the URL's query. */
export class UnsafeUrlError extends Error {
  override name = 'UnsafeUrlError';
}

/**
 * Parses a URL that must be public http(s), as far as its text tells. URL parsing turns every
 * spelling of an address (decimal, octal, hex, short) into the plain one. Metadata hosts are never
 * public, private ones are where they are allowed. Throws UnsafeUrlError.
 */
export function parsePublicUrl(text: string, allowPrivate: boolean): URL {
  if (!URL.canParse(text)) throw new UnsafeUrlError('not a URL');
  const url = new URL(text);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UnsafeUrlError(`must be an http or https URL, not ${url.protocol}`);
  }
  if (url.username || url.password)
    throw new UnsafeUrlError('must not hold a user name or password');
  const isUnsafe = allowPrivate ? isMetadataHost : isPrivateHost;
  if (isUnsafe(url))
    throw new UnsafeUrlError(`${url.hostname} is private, internal or a metadata host`);
  return url;
}

/** All addresses of a host name by the system's resolver. */
export async function resolveByDns(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
