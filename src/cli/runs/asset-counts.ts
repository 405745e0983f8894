// Counts the assets of a run that has no result because it is running or was stopped. Pure.
import type { Discovery, SettledAsset } from '../../plan/contract.ts';
import { untakenTotals } from '../../plan/shares.ts';
import type { Totals } from '../../plan/totals.ts';
import { addTotals } from '../../plan/totals.ts';
import type { AssetCounts } from './run-shape.ts';
import type { RunSnapshot } from './run-snapshot.ts';

interface Known {
  /** Totals that the run itself reports; undefined if no worker answers. */
  asked: Totals | undefined;
  settled: readonly Pick<SettledAsset, 'outcome'>[];
  found: Discovery | null;
}

export function countsOf(
  status: RunSnapshot['status'],
  { asked, settled, found }: Known,
): AssetCounts {
  const written = countSettled(settled);
  if (found) addTotals(written, untakenTotals(found));
  written.total = Math.max(written.total, found?.total ?? 0);
  // The records are more complete if no worker answers or a part of the run was terminated.
  const totals = asked === undefined || asked.total < written.total ? written : asked;
  const { total, complete, failed, skipped } = totals;
  const wasEnded = status === 'cancelled' || status === 'terminated';
  // Includes assets that the run never started.
  const cancelled = wasEnded ? total - complete - failed - skipped : 0;
  return { total, complete, failed, skipped, unchanged: found?.unchanged ?? 0, cancelled };
}

function countSettled(settled: Known['settled']): Totals {
  const of = (outcome: string) => settled.filter((asset) => asset.outcome === outcome).length;
  return {
    total: settled.length,
    complete: of('complete'),
    failed: of('failed'),
    skipped: of('skipped'),
  };
}
