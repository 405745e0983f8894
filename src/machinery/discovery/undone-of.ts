// The assets that a rerun does again, chosen anew each time from those that the earlier run has left.
import type { Rerun } from '../../plan/rerun.ts';
import { type Undone, undoneOf } from '../../store/discovery/undone.ts';
import type { RunStore } from '../../store/runs/run-store.ts';
import { undoneFilter } from './undone-filter.ts';

/**
 * In the order of the earlier run. `store` is that run's, which has ended.
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
