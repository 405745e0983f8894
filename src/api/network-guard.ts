// Which addresses a URL that came from outside may lead to.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { BlockList, isIP } from 'node:net';
import { ForbiddenAddressError } from './transfer-errors.ts';

/** `public`: https to public addresses only. `any`: also http and private ones, as with a local sandbox. */
export type Network = 'public' | 'any';

const blocked = new BlockList();
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  blocked.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 127],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  blocked.addSubnet(network, prefix, 'ipv6');
}

/** True for loopback, private, link-local (cloud metadata), carrier and multicast addresses. */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && blocked.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '');
}

/** Private addresses are fine exactly when the platform itself is on one: then it is a sandbox. */
export function networkFor(baseUrl: URL): Network {
  const host = hostOf(baseUrl);
  return host === 'localhost' || host.endsWith('.localhost') || isPrivateAddress(host)
    ? 'any'
    : 'public';
}

/**
 * Parses a URL from outside and refuses it by its scheme or its literal address. Names are checked when
 * they are resolved, by `guardedLookup`; address literals never get that far, so both are needed.
 */
export function checkedUrl(text: string, network: Network, base?: URL): URL {
  // Node's own error would repeat the text, signature and all.
  if (!URL.canParse(text, base?.href)) {
    throw new ForbiddenAddressError(base?.host ?? 'the address', 'it is not a URL');
  }
  const url = new URL(text, base);
  const schemes = network === 'any' ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    throw new ForbiddenAddressError(url.host, `${url.protocol} is not allowed, only https`);
  }
  if (network === 'public' && isPrivateAddress(hostOf(url))) {
    throw new ForbiddenAddressError(url.host, 'it is a private or local address');
  }
  return url;
}

type LookupCallback = (
  error: Error | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** A DNS lookup for `connect` that fails when any address of the name is private; no second resolution follows. */
export function guardedLookup(
  hostname: string,
  options: LookupOptions,
  callback: LookupCallback,
): void {
  dnsLookup(hostname, { ...options, all: true }, (error, addresses) => {
    if (error) return callback(error, []);
    const first = addresses[0];
    if (first === undefined || addresses.some(({ address }) => isPrivateAddress(address))) {
      return callback(new ForbiddenAddressError(hostname, 'it leads to a private address'), []);
    }
    if (options.all) return callback(null, addresses);
    callback(null, first.address, first.family);
  });
}
