// Which addresses a URL that came from outside may lead to.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { addressOf, isPrivateAddress, isPrivateHost } from './private-addresses.ts';
import { ForbiddenAddressError } from './transfer-errors.ts';

/** `public`: https to public addresses only. `any`: also http and private ones, as with a local sandbox. */
export type Network = 'public' | 'any';

/** Private addresses are fine exactly when the platform itself has one, or a name of one: then it is a sandbox. */
export function networkFor(baseUrl: URL): Network {
  return isPrivateHost(baseUrl) ? 'any' : 'public';
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
  const address = addressOf(url);
  if (network === 'public' && address !== undefined && isPrivateAddress(address)) {
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
