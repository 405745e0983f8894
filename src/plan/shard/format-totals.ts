import { formatNumber } from '../helpers/format-count.ts';
import type { Totals } from './totals.ts';

/** Formats counts of assets, for example `8 of 10 complete, 1 failed, 1 skipped`. Omits outcomes without assets. */
export function formatTotals(totals: Totals & { cancelled?: number }): string {
  const { total, complete, failed, skipped, cancelled = 0 } = totals;
  const counts = Object.entries({ failed, skipped, cancelled }).filter(([, count]) => count > 0);
  return [
    `${formatNumber(complete)} of ${formatNumber(total)} complete`,
    ...counts.map(([outcome, count]) => `${formatNumber(count)} ${outcome}`),
  ].join(', ');
}
