// Checks the callback URLs that clients set.
import { setTimeout as delay } from 'node:timers/promises';
import { findAddress } from 'renderline/api/network/private-addresses';
import type { Sandbox } from '../context/sandbox.ts';
import {
  assertSafeAddresses,
  parsePublicUrl,
  resolveByDns,
  UnsafeUrlError,
} from '../downloads/private-network.ts';
import { refuseInput } from '../http/failure.ts';

/** Time limit for DNS. A name that takes longer is accepted, and checked when a notification is sent. */
const lookupMs = 2_000;

/**
 * Accepts only http(s) URLs whose host and its addresses are allowed. A name that does not resolve is accepted, because
 * it is resolved again for every notification.
 * @throws ApiFailure VALIDATION_ERROR that identifies the field
 */
export async function checkCallbackUrl(
  { options }: Sandbox,
  field: string,
  text: string,
): Promise<void> {
  const { allowPrivateUrls, resolveHost = resolveByDns } = options;
  try {
    const url = parsePublicUrl(text, allowPrivateUrls);
    if (findAddress(url) !== undefined) return;
    const lookup = resolveHost(url.hostname).catch(() => []);
    const addresses = await Promise.race([lookup, delay(lookupMs, [], { ref: false })]);
    assertSafeAddresses(url.hostname, addresses, allowPrivateUrls);
  } catch (error) {
    if (error instanceof UnsafeUrlError) refuseInput(`${field}: ${error.message}`);
    throw error;
  }
}
