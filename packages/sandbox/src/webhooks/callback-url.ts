// Checks addresses that a client wants to be called at (4.6, 4.7).
import { addressOf, isPrivateAddress } from 'renderline/api/private-addresses';
import { parsePublicUrl, resolveByDns, UnsafeUrlError } from '../downloads/private-network.ts';
import { fail } from '../http/failure.ts';
import type { Sandbox } from '../sandbox.ts';

/** A name that takes longer to resolve is looked at when it is called. */
const lookupMs = 2_000;

/**
 * Throws VALIDATION_ERROR, naming the field, for what is no public http(s) URL or leads into a
 * private network. A name that does not resolve is accepted: it is resolved again for every call.
 */
export async function checkCallbackUrl(
  { options }: Sandbox,
  field: string,
  text: string,
): Promise<void> {
  const { allowPrivateUrls, resolveHost = resolveByDns } = options;
  try {
    const url = parsePublicUrl(text, allowPrivateUrls);
    if (allowPrivateUrls || addressOf(url) !== undefined) return;
    if ((await addressesOf(url.hostname, resolveHost)).some(isPrivateAddress)) {
      throw new UnsafeUrlError(`${url.hostname} leads into a private network`);
    }
  } catch (error) {
    if (error instanceof UnsafeUrlError) fail('VALIDATION_ERROR', `${field}: ${error.message}`);
    throw error;
  }
}

async function addressesOf(
  hostname: string,
  resolve: (hostname: string) => Promise<string[]>,
): Promise<string[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string[]>((done) => {
    timer = setTimeout(() => done([]), lookupMs);
  });
  try {
    return await Promise.race([resolve(hostname).catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}
