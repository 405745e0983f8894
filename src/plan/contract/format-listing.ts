// Formats the progress of a run that is still listing. Pure.
import type { Discovery } from './contract.ts';

/** null if everything is listed. */
export function formatListing({
  total,
  nextDiscoveryPage,
}: Pick<Discovery, 'total' | 'nextDiscoveryPage'>): string | null {
  return nextDiscoveryPage === undefined ? null : `listing: ${inThousands(total)} so far`;
}

/** Without locales, which differ between machines. */
function inThousands(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+$)/g, ',');
}
