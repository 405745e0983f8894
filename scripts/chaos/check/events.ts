// I9: the histories of a run and its shards stay short for the assets that it has.
import type { Evidence, Violation } from './evidence.ts';
import { grouped } from './rows.ts';

/**
 * About three times the most that 43 runs of ten rounds had, since a busy machine takes more tries: 113 events for one
 * asset, 163 for three, 283 for seventeen, at most 130 and 11 an asset. What grows with time is many times as much.
 */
const most = { aRun: 400, anAsset: 30 };

export function checkEvents({ runs, replayed }: Evidence): Violation[] {
  return runs.flatMap(({ run, assets }) => {
    const own = replayed.filter(({ workflow }) => `${workflow}/`.startsWith(`${run}/`));
    // A reset begins a copy of a history, and of several the longest counts.
    const longest = [...grouped(own, ({ workflow }) => workflow).values()].map((executions) =>
      Math.max(...executions.map((one) => one.events)),
    );
    const events = longest.reduce((sum, count) => sum + count, 0);
    const allowed = most.aRun + most.anAsset * assets.total;
    if (events <= allowed) return [];
    return [{ invariant: 'I9', what: `${run}: ${events} events for ${assets.total} assets` }];
  });
}
