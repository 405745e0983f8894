// Chooses the assets of a rerun from the unfinished assets of the earlier run.
import type { Rerun } from '../../plan/run/rerun.ts';
import { listUnfinished, type UnfinishedAsset } from '../../store/discovery/unfinished-assets.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { createUnfinishedFilter } from './unfinished-filter.ts';

/**
 * Chooses the assets to repeat, in the order of the earlier run. @param store the store of the earlier run
 * @throws WhereError, ExpressionError
 */
export async function chooseUnfinished(
  store: RunStore,
  { failed, where, open }: Pick<Rerun, 'failed' | 'where' | 'open'>,
  signal?: AbortSignal,
): Promise<UnfinishedAsset[]> {
  const fits = where === null ? () => true : createUnfinishedFilter(where);
  const chosenAssets: UnfinishedAsset[] = [];
  for await (const unfinished of listUnfinished(store, {
    isRunClosed: open !== true,
    ...(signal ? { signal } : {}),
  })) {
    if (failed && unfinished.failure === null) continue;
    if (fits(unfinished)) chosenAssets.push(unfinished);
  }
  return chosenAssets;
}
