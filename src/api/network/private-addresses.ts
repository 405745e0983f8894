// Recognizes private addresses, both in requests that we send and in URLs that clients of the sandbox may specify.
import { BlockList, isIP } from 'node:net';

const subnets4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  // Azure's internal services use an address that looks public.
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
/** Blocked networks within 2000::/3, the public part of IPv6. */
const subnets6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const;
const blocked = blockListOf(subnets4, subnets6);
const world6 = blockListOf([], [['2000::', 3]]);

/** Addresses of the metadata services of clouds, which hand out credentials. Includes all link-local addresses. */
const metadata = blockListOf(
  [
    ['169.254.0.0', 16],
    ['100.100.100.200', 32],
    ['168.63.129.16', 32],
    ['192.0.0.192', 32],
  ],
  [
    ['fe80::', 10],
    ['fd00:ec2::', 32],
    ['fd00:c1::', 32],
    ['fd20:ce::', 32],
  ],
);

type Subnet = readonly [net: string, prefix: number];

function blockListOf(subnetsOf4: readonly Subnet[], subnetsOf6: readonly Subnet[]): BlockList {
  const list = new BlockList();
  for (const [net, prefix] of subnetsOf4) list.addSubnet(net, prefix, 'ipv4');
  for (const [net, prefix] of subnetsOf6) list.addSubnet(net, prefix, 'ipv6');
  return list;
}

const metadataNames =
  /^(?:metadata|instance-data)(?:\.goog|\.tencentyun\.com|(?:\.[a-z0-9-]+)*\.internal)?\.?$/i;

const internalNames =
  /(^|\.)(localhost|local|internal|intranet|private|corp|home|lan|home\.arpa|localdomain|svc|metadata\.goog)\.?$/i;

/** True for all addresses except public ones. IPv4 mapped into IPv6, or behind NAT64, counts as IPv4. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  // Text that is not an address counts as private.
  if (family === 0) return true;
  const inside = family === 6 ? (findMappedAddress(address) ?? findNat64Address(address)) : address;
  if (inside !== undefined) return blocked.check(inside, 'ipv4');
  return !world6.check(address, 'ipv6') || blocked.check(address, 'ipv6');
}

/** Finds the IPv4 address that `::ffff:1.2.3.4` stands for, in any of its spellings. */
function findMappedAddress(address: string): string | undefined {
  const groups = parseGroups(address);
  return groups?.slice(0, 6).join() === '0,0,0,0,0,65535' ? formatDotted(groups, 6) : undefined;
}

/** Returns the IPv4 address in `64:ff9b::1.2.3.4`, the form in which IPv6-only networks reach it (NAT64). */
function findNat64Address(address: string): string | undefined {
  const groups = parseGroups(address);
  return groups?.slice(0, 6).join() === '100,65435,0,0,0,0' ? formatDotted(groups, 6) : undefined;
}

/** Returns the IPv4 addresses that a gateway may derive from an IPv6 address: mapped, compatible, NAT64, 6to4. */
function innerAddressesOf(address: string): string[] {
  const groups = parseGroups(address);
  if (groups === undefined) return [];
  const isLast = groups.slice(0, 5).every((group) => group === 0) || groups[0] === 0x64;
  return [
    ...(isLast ? [formatDotted(groups, 6)] : []),
    ...(groups[0] === 0x2002 ? [formatDotted(groups, 1)] : []),
  ];
}

/** Returns the eight groups of an IPv6 address without a scope, or undefined for other addresses. */
function parseGroups(address: string): number[] | undefined {
  if (isIP(address) !== 6 || address.includes('%')) return undefined;
  // URL parsing normalizes all notations.
  const [before = '', after] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const numbers = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const [head, tail] = [numbers(before), numbers(after ?? '')];
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function formatDotted(groups: readonly number[], index: number): string {
  return groups
    .slice(index, index + 2)
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

/** True for the metadata service of a cloud, even if the address is embedded in an IPv6 address. */
export function isMetadataAddress(address: string): boolean {
  const family = isIP(address.replace(/%.*$/, ''));
  if (family === 4) return metadata.check(address, 'ipv4');
  // Only link-local addresses are written with a scope (`fe80::1%eth0`), and all of them count as metadata addresses.
  // Any other string is not an address.
  if (family === 0 || address.includes('%')) return family !== 0;
  const inside = innerAddressesOf(address).some((innerAddress) =>
    metadata.check(innerAddress, 'ipv4'),
  );
  return inside || metadata.check(address, 'ipv6');
}

/** True if a URL, judged by its text alone, leads to the metadata service of a cloud. */
export function isMetadataHost(url: URL): boolean {
  const address = findAddress(url);
  return address === undefined ? metadataNames.test(url.hostname) : isMetadataAddress(address);
}

/** Returns a sender's network (24 bits of IPv4, 64 of IPv6), because one sender often controls all of its addresses. */
export function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '');
  const groups = parseGroups(plain);
  const four = groups === undefined ? plain : findMappedAddress(plain);
  if (four !== undefined) return four.replace(/\.\d+$/, '');
  return (groups ?? [])
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':');
}

/** True if a host, as written in a URL or on the command line, is this machine. */
export function isLoopback(host: string): boolean {
  const address = findBareAddress(host);
  if (address === undefined) return /(?:^|\.)localhost\.?$/i.test(host);
  return address === '::1' || (findMappedAddress(address) ?? address).startsWith('127.');
}

/** Returns the host of a URL as an address without brackets, or undefined for a name. */
export function findAddress(url: URL): string | undefined {
  return findBareAddress(url.hostname);
}

function findBareAddress(host: string): string | undefined {
  const bare = host.replace(/^\[|\]$/g, '');
  return isIP(bare) === 0 ? undefined : bare;
}

/** True if a URL, judged by its text alone, leads to a private network. A name without a dot counts as private. */
export function isPrivateHost(url: URL): boolean {
  const address = findAddress(url);
  if (address !== undefined) return isPrivateAddress(address);
  const dotless = !url.hostname.replace(/\.$/, '').includes('.');
  return dotless || internalNames.test(url.hostname);
}
