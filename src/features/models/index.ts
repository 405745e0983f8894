import { isInConsistencyWindow } from '../../engine/consistency-window.ts';
import { createIdCheck } from '../../engine/discovery/ownership-check.ts';
import { defineFeature, type PollContext } from '../../engine/feature.ts';
import type { Asset } from '../../plan/types.ts';
import { connectorPoll } from './connector-poll.ts';
import { modelFailures, tagFailures } from './failures.ts';
import { modelReady } from './model-ready.ts';
import { modelStatusPoller } from './model-status-poller.ts';
import { modelIdRules } from './platform-ids.ts';

/** Finds the assets whose models do not exist on the platform. A model in its consistency window counts as existing. */
async function findLostModels<A extends Asset>(
  assets: readonly A[],
  context: PollContext,
): Promise<ReadonlySet<A>> {
  const adopted = assets.filter(({ platformIds }) => platformIds.modelId !== undefined);
  if (adopted.length === 0) return new Set();
  const models = modelStatusPoller(context.pollerContext);
  // A run has reported these models as missing since the last poll, so cached results do not count.
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

/** Uploads files as models and waits until they are processed. */
export const models = defineFeature({
  name: 'models',
  nodes: [connectorPoll, modelReady],
  findLost: findLostModels,
  // Models need no individual read, because `findLost` checks them in batches.
  existenceChecks: [['modelId', () => Promise.resolve('there')]],
  idRules: modelIdRules,
  failures: [modelFailures, tagFailures],
  ownership: createIdCheck('model', 'modelId'),
});
