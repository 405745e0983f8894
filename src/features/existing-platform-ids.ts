// Checks which resources of an asset still exist on the platform, by its platform ids.
import type { CallOptions, Client } from '../api/client.ts';
import { nullIfNotFound } from '../engine/null-if-not-found.ts';
import { readOrUnreadable } from '../engine/unreadable-response.ts';
import type { PlatformIds } from '../plan/platform-ids.ts';
import type { Asset } from '../plan/types.ts';
import { removeIds } from '../store/runs/asset-states.ts';
import { features } from './index.ts';

export interface ReadContext {
  client: Client;
  options: CallOptions;
}

const reads = features.flatMap((feature) => feature.existenceChecks ?? []);

type ResourceRead = (typeof reads)[number];

/** A resource (key) that must exist if another one (value) exists, as a render job implies its project. */
const impliedBy: { [Field in keyof PlatformIds]?: keyof PlatformIds } = { projectId: 'jobId' };

/** Reads the ids of existing resources, with at most one request each, and none for a project with a render job. */
export async function readExistingIds(
  asset: Pick<Asset, 'platformIds' | 'source'>,
  readContext: ReadContext,
): Promise<PlatformIds> {
  const { platformIds } = asset;
  let existingIds = platformIds;
  for (const reading of listExistenceChecks(asset)) {
    const [field, , forget] = reading;
    const inner = impliedBy[field];
    if (inner !== undefined && existingIds[inner] !== undefined) continue;
    if (await existsOnPlatform(reading, platformIds, readContext)) continue;
    const { reusableStages: _stands, ...remainingIds } = removeIds(existingIds, forget);
    existingIds = remainingIds;
  }
  return existingIds;
}

/** Lists the reads for an asset, innermost resource first. `findLostModels` reads the models instead, in batches. */
export function listExistenceChecks({
  platformIds,
  source: { id },
}: Pick<Asset, 'platformIds' | 'source'>): ResourceRead[] {
  // The asset was selected on the platform, and not as a model or project, so the run created none of its resources.
  if (id !== undefined && id !== platformIds.modelId && id !== platformIds.projectId) return [];
  return reads
    .filter(
      ([field, , forget]) =>
        forget !== undefined && platformIds[field] !== undefined && platformIds[field] !== id,
    )
    .reverse();
}

/** Reads one of the resources that an earlier run did not find. Returns true if it exists now. */
export async function isVisibleAgain(
  readContext: ReadContext,
  platformIds: PlatformIds,
  missingFields: readonly (keyof PlatformIds)[],
): Promise<boolean> {
  const resourceRead = reads.find(
    ([field]) => missingFields.includes(field) && platformIds[field] !== undefined,
  );
  return resourceRead !== undefined && existsOnPlatform(resourceRead, platformIds, readContext);
}

async function existsOnPlatform(
  [, read]: ResourceRead,
  platformIds: PlatformIds,
  { client, options }: ReadContext,
): Promise<boolean> {
  const readOrNull = () => nullIfNotFound(() => read(client, platformIds, options));
  // A response that cannot be parsed still shows that the resource exists.
  return (await readOrUnreadable(readOrNull)) !== null;
}
