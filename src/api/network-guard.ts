// Refuses addresses that a URL from outside must not lead to.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import {
  addressOf,
  isMetadataAddress,
  isMetadataHost,
  isPrivateAddress,
  isPrivateHost,
} from './private-addresses.ts';
import { ForbiddenAddressError } from './transfer-errors.ts';

/** `public`: https to public addresses only. `any`: also http and private ones, as with a local sandbox. */
export type Network = 'public' | 'any';

const metadataReason = 'it is where a cloud hands out credentials';
const privateReason = 'it is a private or local address';

/** Private addresses are allowed only when the platform itself has one: then it is a sandbox. */
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
  if (isMetadataHost(url)) {
    throw new ForbiddenAddressError(url.host, metadataReason);
  }
  const schemes = network === 'any' ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    throw new ForbiddenAddressError(url.host, `${url.protocol} is not allowed, only https`);
  }
  const address = addressOf(url);
  if (network === 'public' && address !== undefined && isPrivateAddress(address)) {
    throw new ForbiddenAddressError(url.host, privateReason);
  }
  return url;
}

/**
 * Judges a host by its text alone, where a proxy resolves its name; null where it may be reached. What the proxy resolves a
 * name to is for the proxy to judge.
 */
export function refuseName(url: URL, network: Network): ForbiddenAddressError | null {
  if (isMetadataHost(url)) return new ForbiddenAddressError(url.host, metadataReason);
  const isInside = network === 'public' && isPrivateHost(url);
  return isInside ? new ForbiddenAddressError(url.host, privateReason) : null;
}

type LookupCallback = (
  error: Error | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/**
 * A DNS lookup for `connect` that fails when any address of the name is one that may not be reached; no second resolution
 * follows. @param resolve the system's, unless told otherwise
 */
export function guardedLookup(network: Network, resolve?: typeof dnsLookup) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    (resolve ?? dnsLookup)(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const reason = refuseAddresses(
        addresses.map(({ address }) => address),
        network,
      );
      const first = addresses[0];
      if (reason !== null || first === undefined) {
        const why = reason ?? 'it has no address';
        return callback(new ForbiddenAddressError(hostname, why), []);
      }
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** Why the addresses of a name may not be reached; null where all of them may. */
export function refuseAddresses(addresses: readonly string[], network: Network): string | null {
  if (addresses.some(isMetadataAddress)) return 'it leads to where a cloud hands out credentials';
  const inside = addresses.filter(isPrivateAddress).length;
  if (network === 'public' && inside > 0) return 'it leads to a private address';
  // A name with public and private addresses is an attempt to have one checked and the other reached.
  const isMixed = inside > 0 && inside < addresses.length;
  return isMixed ? 'it leads to public and to private addresses' : null;
}
