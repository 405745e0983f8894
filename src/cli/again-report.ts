// Assets that a plan begins in the middle, by the stage at which they begin. Pure.
import { formatDuration } from '../language/duration.ts';
import { type FoundAsset, standingOf } from '../machinery/cost/found-work.ts';
import { count } from '../plan/count.ts';
import { groupBy } from '../plan/group-by.ts';
import { firstStage } from '../plan/stages.ts';
import type { Stage } from '../plan/types.ts';
import { agedWords, beginWords } from './explain/words.ts';

export interface Again {
  /** The first stage that is done again. */
  begin: Stage;
  assets: number;
  /** How old what was made may be, where that is why; absent: the pipeline makes something else of them. */
  olderThan?: string;
}

/** Assets that the pipeline makes something else of, or of which something is too old. */
export function againBy(assets: readonly FoundAsset[]): Again[] {
  const again = assets.filter(({ reason }) => reason === 'recipe' || reason === 'age');
  const groups = groupBy(again, (asset) => `${asset.olderThanMs} ${firstStage(standingOf(asset))}`);
  return [...groups.values()].flatMap((some) =>
    some.slice(0, 1).map((first) => ({
      begin: firstStage(standingOf(first)),
      assets: some.length,
      ...(first.olderThanMs === undefined ? {} : { olderThan: formatDuration(first.olderThanMs) }),
    })),
  );
}

export function againLines(again: readonly Again[], unit: string): string[] {
  return again.map(({ begin, assets, olderThan }) => {
    const begins = `${count(assets, unit)} ${assets === 1 ? 'begins' : 'begin'}`;
    if (olderThan === undefined) return `again     ${begins} ${beginWords[begin]}`;
    return `again     older than ${olderThan}: ${begins} ${agedWords[begin]}`;
  });
}
