// Finds models of earlier runs that are no longer in the workspace.

import { isInConsistencyWindow } from '../../engine/consistency-window.ts';
import type { PollContext } from '../../engine/feature.ts';
import type { Asset } from '../../plan/types.ts';
import { modelStatusPoller } from './model-status-poller.ts';

/**
 * Returns the assets whose models do not exist on the platform. A model in its consistency window counts as existing.
 */
export async function findLostModels<A extends Asset>(
  assets: readonly A[],
  context: PollContext,
): Promise<ReadonlySet<A>> {
  const adopted = assets.filter(({ platformIds }) => platformIds.modelId !== undefined);
  if (adopted.length === 0) return new Set();
  const models = modelStatusPoller(context.pollerContext);
  // A run reported these models missing after the last poll, so cached results do not count.
  models.invalidate(
    idsOf(adopted.filter(({ platformIds }) => platformIds.missingIds?.includes('modelId'))),
  );
  const results = await models.readKnown(idsOf(adopted), context);
  const isLost = ({ platformIds }: A) =>
    results.get(platformIds.modelId ?? '')?.status === null &&
    !isInConsistencyWindow(platformIds, { client: context.pollerContext.client, now: context.now });
  return new Set(adopted.filter(isLost));
}

function idsOf(assets: readonly Asset[]): string[] {
  return assets.flatMap(({ platformIds }) => platformIds.modelId ?? []);
}
