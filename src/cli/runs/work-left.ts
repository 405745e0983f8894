// What a run still costs that waits for approval: the estimate of `plan`, for the assets of its manifest that it
// has not begun.
import { estimate } from '../../capabilities/estimate.ts';
import { openRunStore } from '../../capabilities/run-store.ts';
import { openConnector } from '../../connectors/index.ts';
import type { Estimate } from '../../machinery/cost/step-cost.ts';
import type { Discovery, RunStart } from '../../plan/contract.ts';
import { shardsOfCanary } from '../../plan/shares.ts';
import { mapBounded } from '../../store/objects/bounded.ts';
import type { RunSnapshot } from './run-snapshot.ts';

export type WorkLeft = Pick<Estimate, 'requests' | 'renders'>;

/**
 * @param start what the run was started with; null where the server has forgotten it
 * @returns null where it cannot be told from here
 */
export async function workLeft(
  { run, memo }: RunSnapshot,
  start: RunStart | null,
  found: Discovery,
): Promise<WorkLeft | null> {
  const first = start === null ? null : shardsOfCanary(found, start.plan);
  if (start === null || memo === null || first === null) return null;
  const { plan } = start;
  const context = { run, lineage: run, pipeline: memo.pipeline, recipe: '' };
  const shards = Array.from({ length: found.pages - first }, (_, index) => first + index);
  try {
    const { manifest } = openRunStore(openConnector(memo.records), context);
    const assets = (await mapBounded(shards, (shard) => manifest.page(shard))).flat();
    // A manifest that is not here has no assets.
    return assets.length === 0 ? null : estimate(plan, { assets }, null);
  } catch {
    // Records that are out of reach here keep nobody from approving.
    return null;
  }
}
