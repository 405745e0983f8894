// Counts the assets of a run that has no result because it is running or was stopped. Pure.
import type { Discovery, FinalizedAsset } from '../../plan/contract/contract.ts';
import { unshardedTotals } from '../../plan/contract/sharding.ts';
import type { Totals } from '../../plan/shard/totals.ts';
import { addTotals } from '../../plan/shard/totals.ts';
import type { AssetCounts } from './run-shape.ts';
import type { RunSnapshot } from './run-snapshot.ts';

interface CountSources {
  /** Totals that the run itself reports; undefined if no worker answers. */
  reported: Totals | undefined;
  settled: readonly Pick<FinalizedAsset, 'outcome'>[];
  discovery: Discovery | null;
}

export function countAssets(
  status: RunSnapshot['status'],
  { reported, settled, discovery }: CountSources,
): AssetCounts {
  const written = countSettled(settled);
  if (discovery) addTotals(written, unshardedTotals(discovery));
  written.total = Math.max(written.total, discovery?.total ?? 0);
  // The records are more complete if no worker answers or a part of the run was terminated.
  const totals = reported === undefined || reported.total < written.total ? written : reported;
  const { total, complete, failed, skipped } = totals;
  const wasStopped = status === 'cancelled' || status === 'terminated';
  // Includes assets that the run never started.
  const cancelled = wasStopped ? total - complete - failed - skipped : 0;
  return { total, complete, failed, skipped, unchanged: discovery?.unchanged ?? 0, cancelled };
}

function countSettled(settled: CountSources['settled']): Totals {
  const of = (outcome: string) => settled.filter((asset) => asset.outcome === outcome).length;
  return {
    total: settled.length,
    complete: of('complete'),
    failed: of('failed'),
    skipped: of('skipped'),
  };
}
