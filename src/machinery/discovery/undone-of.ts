// Chooses the assets of a rerun from the unfinished assets of the earlier run.
import type { Rerun } from '../../plan/rerun.ts';
import { type Undone, undoneOf } from '../../store/discovery/undone.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { undoneFilter } from './undone-filter.ts';

/**
 * In the order of the earlier run. @param store the store of the earlier run, which is closed
 * @throws WhereError, ExpressionError
 */
export async function chooseUndone(
  store: RunStore,
  { failed, where }: Pick<Rerun, 'failed' | 'where'>,
  signal?: AbortSignal,
): Promise<Undone[]> {
  const fits = where === null ? () => true : undoneFilter(where);
  const chosen: Undone[] = [];
  for await (const undone of undoneOf(store, { isOver: true, ...(signal ? { signal } : {}) })) {
    if (failed && undone.failure === null) continue;
    if (fits(undone)) chosen.push(undone);
  }
  return chosen;
}
