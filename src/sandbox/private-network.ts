// Which hosts a URL given by a client may not point at: private, internal and metadata addresses.
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const blocked = new BlockList();
const subnets4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // A cloud's own services at an address that looks public.
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const;
/** Within 2000::/3, the only part of IPv6 that is out in the world. */
const subnets6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;
const world6 = new BlockList();
world6.addSubnet('2000::', 3, 'ipv6');
for (const [net, prefix] of subnets4) blocked.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of subnets6) blocked.addSubnet(net, prefix, 'ipv6');

/** Where clouds hand out credentials: refused in URLs even where private addresses are allowed. */
const metadata = new BlockList();
metadata.addSubnet('169.254.0.0', 16, 'ipv4');
metadata.addAddress('100.100.100.200', 'ipv4');
metadata.addAddress('168.63.129.16', 'ipv4');
metadata.addAddress('fd00:ec2::254', 'ipv6');
const metadataNames = /^(metadata|instance-data)(\.goog|(\.google|\.ec2)?\.internal)?\.?$/i;

const internalNames =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|localdomain|svc|metadata\.goog)\.?$/i;

/** Thrown for a URL that may not be used; the message says why, without the URL's query. */
export class UnsafeUrlError extends Error {
  override name = 'UnsafeUrlError';
}

/** True for addresses inside private networks; IPv4 inside IPv6 counts as IPv4. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // A scope or anything else that is no plain address is not worth trusting.
  if (family === 0) return true;
  const inside = family === 6 ? mappedAddress(address) : address;
  if (inside !== undefined) return blocked.check(inside, 'ipv4');
  return !world6.check(address, 'ipv6') || blocked.check(address, 'ipv6');
}

/** The IPv4 address that `::ffff:1.2.3.4` stands for, in any of its spellings. */
function mappedAddress(address: string): string | undefined {
  const scopeless = address.replace(/%.*$/, '');
  if (scopeless !== address) return undefined;
  // URL parsing knows all spellings and writes one.
  const [, high, low] =
    /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${address}]`).hostname) ??
    [];
  if (high === undefined || low === undefined) return undefined;
  const [a, b] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [a >> 8, a & 255, b >> 8, b & 255].join('.');
}

/** The host of a URL as an address without brackets, or undefined for a name. */
export function addressOf(url: URL): string | undefined {
  const bare = url.hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
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
  const isUnsafe = allowPrivate ? isMetadata : isPrivate;
  if (isUnsafe(url))
    throw new UnsafeUrlError(`${url.hostname} is private, internal or a metadata host`);
  return url;
}

function isPrivate(url: URL): boolean {
  const address = addressOf(url);
  if (address !== undefined) return isPrivateAddress(address);
  const dotless = !url.hostname.replace(/\.$/, '').includes('.');
  return dotless || internalNames.test(url.hostname);
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
