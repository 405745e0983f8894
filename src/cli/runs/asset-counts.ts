// Counts the assets of a run without a result: under way, or ended early. Pure.
import type { Discovery, SettledAsset } from '../../plan/contract.ts';
import { untakenTotals } from '../../plan/shares.ts';
import type { Totals } from '../../plan/totals.ts';
import { addTotals } from '../../plan/totals.ts';
import type { AssetCounts } from './run-shape.ts';
import type { RunSnapshot } from './run-snapshot.ts';

interface Known {
  /** The run's own figures; undefined where no worker answers. */
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
  // The records tell more where no worker answers, or a part of the run was cut off.
  const totals = asked === undefined || asked.total < written.total ? written : asked;
  const { total, complete, failed, skipped } = totals;
  const wasEnded = status === 'cancelled' || status === 'terminated';
  // Includes assets that it never reached.
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
