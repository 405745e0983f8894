// I9: the histories of a run and its shards stay short relative to the number of its assets.
import type { Evidence, Violation } from './evidence.ts';
import { groupBy } from './platform-rows.ts';

/**
 * About three times the maximum of 43 runs in ten rounds (113 events for 1 asset, 163 for 3, 283 for 17), because a
 * busy machine needs more attempts. A history that grows with time is many times longer.
 */
const eventLimits = { aRun: 400, anAsset: 30 };

export function checkEvents({ runs, replayed }: Evidence): Violation[] {
  return runs.flatMap(({ run, assets }) => {
    const executionsOfRun = replayed.filter(({ workflow }) => `${workflow}/`.startsWith(`${run}/`));
    // A reset copies the history, so only the longest execution of each workflow counts.
    const eventCounts = [...groupBy(executionsOfRun, ({ workflow }) => workflow).values()].map(
      (executions) => Math.max(...executions.map((execution) => execution.events)),
    );
    const events = eventCounts.reduce((sum, count) => sum + count, 0);
    const maxEvents = eventLimits.aRun + eventLimits.anAsset * assets.total;
    if (events <= maxEvents) return [];
    return [{ invariant: 'I9', what: `${run}: ${events} events for ${assets.total} assets` }];
  });
}
