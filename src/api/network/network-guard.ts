// Refuses addresses that a URL from an external source must not lead to.
import { lookup as dnsLookup, type LookupAddress, type LookupOptions } from 'node:dns';
import { ForbiddenAddressError } from '../errors/transfer-errors.ts';
import {
  findAddress,
  isMetadataAddress,
  isMetadataHost,
  isPrivateAddress,
  isPrivateHost,
} from './private-addresses.ts';

/** `public` allows only https to public addresses. `any` also allows http and private addresses, as of a sandbox. */
export type Network = 'public' | 'any';

const metadataReason = 'it is a cloud metadata service, which returns credentials';
const privateReason = 'it is a private or local address';

/** Returns `any` if the platform itself has a private address, as a sandbox does, and `public` otherwise. */
export function allowedNetworkOf(baseUrl: URL): Network {
  return isPrivateHost(baseUrl) ? 'any' : 'public';
}

/**
 * Parses an external URL, and checks its scheme and any literal address. `createGuardedLookup` checks host names when
 * they are resolved, but literal addresses are never resolved, so both checks are needed.
 * @throws ForbiddenAddressError
 */
export function parseAllowedUrl(text: string, network: Network, base?: URL): URL {
  // The URL is checked first, because Node's own error would repeat the text, including the signature.
  if (!URL.canParse(text, base?.href)) {
    throw new ForbiddenAddressError(base?.host ?? 'the address', 'it is not a URL');
  }
  const url = new URL(text, base);
  if (isMetadataHost(url)) throw new ForbiddenAddressError(url.host, metadataReason);
  const schemes = network === 'any' ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) {
    throw new ForbiddenAddressError(url.host, `${url.protocol} is not allowed, only https`);
  }
  const address = findAddress(url);
  if (network === 'public' && address !== undefined && isPrivateAddress(address)) {
    throw new ForbiddenAddressError(url.host, privateReason);
  }
  return url;
}

/** Checks a host by its text alone, because a proxy resolves the name itself. Returns null if the host is allowed. */
export function findForbiddenNameError(url: URL, network: Network): ForbiddenAddressError | null {
  if (isMetadataHost(url)) return new ForbiddenAddressError(url.host, metadataReason);
  const isInside = network === 'public' && isPrivateHost(url);
  return isInside ? new ForbiddenAddressError(url.host, privateReason) : null;
}

type LookupCallback = (
  error: Error | null,
  address: string | LookupAddress[],
  family?: number,
) => void;

/** Creates a DNS lookup for `connect` that refuses forbidden addresses. @param resolve @default the system's lookup */
export function createGuardedLookup(network: Network, resolve?: typeof dnsLookup) {
  return (hostname: string, options: LookupOptions, callback: LookupCallback): void => {
    (resolve ?? dnsLookup)(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const reason = findAddressesProblem(
        addresses.map(({ address }) => address),
        network,
      );
      const first = addresses[0];
      if (reason !== null || first === undefined) {
        const problem = reason ?? 'it has no address';
        return callback(new ForbiddenAddressError(hostname, problem), []);
      }
      if (options.all) return callback(null, addresses);
      callback(null, first.address, first.family);
    });
  };
}

/** Returns why the addresses of a host name are not allowed, or null if they are allowed. */
export function findAddressesProblem(
  addresses: readonly string[],
  network: Network,
): string | null {
  if (addresses.some(isMetadataAddress))
    return 'it resolves to a cloud metadata service, which returns credentials';
  const inside = addresses.filter(isPrivateAddress).length;
  if (network === 'public' && inside > 0) return 'it resolves to a private address';
  // A name with both public and private addresses is an attempt to pass the check with one address and reach the other.
  const isMixed = inside > 0 && inside < addresses.length;
  return isMixed ? 'it resolves to both public and private addresses' : null;
}
