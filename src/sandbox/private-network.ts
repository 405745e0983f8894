// Which hosts a URL given by a client may not point at: private, internal and metadata addresses.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';
import { addressOf, isPrivateHost, mappedAddress } from '../api/private-addresses.ts';

/** Where clouds hand out credentials: refused in URLs even where private addresses are allowed. */
const metadata = new BlockList();
metadata.addSubnet('169.254.0.0', 16, 'ipv4');
metadata.addAddress('100.100.100.200', 'ipv4');
metadata.addAddress('168.63.129.16', 'ipv4');
metadata.addAddress('fd00:ec2::254', 'ipv6');
const metadataNames = /^(metadata|instance-data)(\.goog|(\.google|\.ec2)?\.internal)?\.?$/i;

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
  const isUnsafe = allowPrivate ? isMetadata : isPrivateHost;
  if (isUnsafe(url))
    throw new UnsafeUrlError(`${url.hostname} is private, internal or a metadata host`);
  return url;
}

function isMetadata(url: URL): boolean {
  const address = addressOf(url);
  if (address === undefined) return metadataNames.test(url.hostname);
  const inside = isIP(address) === 6 ? mappedAddress(address) : address;
  return inside === undefined ? metadata.check(address, 'ipv6') : metadata.check(inside, 'ipv4');
}

/** All addresses of a host name by the system's resolver. */
export async function resolveByDns(hostname: string): Promise<string[]> {
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
