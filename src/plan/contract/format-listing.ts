import { formatNumber } from '../helpers/format-count.ts';
import type { Discovery } from './contract.ts';

/** Returns how many assets are listed so far, as text for people, or null if everything is listed. */
export function formatListing(
  discovery: Pick<Discovery, 'total' | 'nextDiscoveryPage'>,
): string | null {
  const { total, nextDiscoveryPage } = discovery;
  return nextDiscoveryPage === undefined ? null : `listing: ${formatNumber(total)} so far`;
}
