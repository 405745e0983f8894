import { formatNumber } from '../helpers/format-count.ts';
import type { Discovery } from './contract.ts';

/** How many assets are listed so far, as text for people; null if everything is listed. */
export function formatListing(
  discovery: Pick<Discovery, 'total' | 'nextDiscoveryPage'>,
): string | null {
  const { total, nextDiscoveryPage } = discovery;
  return nextDiscoveryPage === undefined ? null : `listing: ${formatNumber(total)} so far`;
}
