// Which addresses and names lie inside private networks: one answer for what we send to and for what a client
// of the sandbox may name.
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

const internalNames =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|localdomain|svc|metadata\.goog)\.?$/i;

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
export function mappedAddress(address: string): string | undefined {
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

/** Whether a URL leads into a private network, as far as its text tells. A name without a dot is one of these. */
export function isPrivateHost(url: URL): boolean {
  const address = addressOf(url);
  if (address !== undefined) return isPrivateAddress(address);
  const dotless = !url.hostname.replace(/\.$/, '').includes('.');
  return dotless || internalNames.test(url.hostname);
}
