// I9: the histories of a run and its shards stay short for the assets that it has.
import type { Evidence, Violation } from './evidence.ts';

/**
 * About three times the most that 43 runs of ten rounds had, since a busy machine takes more tries: 113 events for one
 * asset, 163 for three, 283 for seventeen, at most 130 and 11 an asset. What grows with time is many times as much.
 */
const most = { aRun: 400, anAsset: 30 };

export function checkEvents({ runs, replayed }: Evidence): Violation[] {
  return runs.flatMap(({ run, assets }) => {
    const own = replayed.filter(({ workflow }) => `${workflow}/`.startsWith(`${run}/`));
    const events = own.reduce((sum, one) => sum + one.events, 0);
    const allowed = most.aRun + most.anAsset * assets.total;
    if (events <= allowed) return [];
    return [{ invariant: 'I9', what: `${run}: ${events} events for ${assets.total} assets` }];
  });
}
