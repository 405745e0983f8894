// Caches the property definitions of a workspace. Each worker reads them once per run and asset type.

import type { AssetType } from '../../api/operations/properties.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { sharePerPoller } from '../../engine/polling/poller-context.ts';
import { PromiseCache } from '../../store/objects/promise-cache.ts';
import { PropertyDefinitions } from './property-definitions.ts';

const maxRunsRemembered = 50;

export const propertyDefinitionsCache = sharePerPoller(
  () => new PromiseCache<PropertyDefinitions>(maxRunsRemembered),
);

/** Runs `task` with cached definitions. A RunCauseError clears them, because a person may correct the definitions. */
export async function withDefinitions<T>(
  assetType: AssetType | null,
  { pollerContext, run, requests, signal }: Omit<NameLookUpDeps, 'getConnector'>,
  task: (definitions: PropertyDefinitions) => T | Promise<T>,
): Promise<T> {
  const cache = propertyDefinitionsCache(pollerContext);
  const name = `${assetType} ${run.run}`;
  const definitions = await cache.getOrStart(name, () =>
    PropertyDefinitions.read(pollerContext.client, assetType, requests, signal),
  );
  try {
    return await task(definitions);
  } catch (error) {
    if (error instanceof RunCauseError) cache.forget(name);
    throw error;
  }
}
