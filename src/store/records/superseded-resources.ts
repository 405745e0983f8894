import { resourceKinds } from '../../api/resources.ts';
import type { PlatformResource } from '../../plan/contract/contract.ts';
import type { Asset } from '../../plan/types.ts';
import { resourcesOfRecord } from './earlier-work.ts';
import { resourceId, resourcesOf } from './platform-resources.ts';
import type { AssetRecord } from './records.ts';
import { canReuseWork } from './source-version.ts';

/**
 * Resources in the records of earlier versions, and resources that unfinished versions have left. A record that differs
 * only in its recipe adds none, because the file is the same. A record of an object already on the platform
 * adds none either, because the pipeline did not create the object.
 */
export function findSupersededResources(
  { source, platformIds }: Pick<Asset, 'source' | 'platformIds'>,
  earlierRecords: readonly Pick<AssetRecord, 'source' | 'platformIds' | 'earlier'>[],
  undeliveredResources: readonly PlatformResource[] = [],
): PlatformResource[] {
  const isOld = ({ source: { id, version } }: Pick<AssetRecord, 'source'>) =>
    id === undefined && !canReuseWork(version, source.version);
  const oldRecords = earlierRecords.filter(isOld);
  const resources = [...oldRecords.flatMap(resourcesOfRecord), ...undeliveredResources];
  const resourcesById = new Map(resources.map((resource) => [resourceId(resource), resource]));
  const unused = excludeResources([...resourcesById.values()], resourcesOf({ platformIds }));
  return resourceKinds.flatMap((kind) => unused.filter((resource) => resource.kind === kind));
}

export function excludeResources(
  resources: readonly PlatformResource[],
  others: readonly PlatformResource[],
): PlatformResource[] {
  const ids = new Set(others.map(resourceId));
  return resources.filter((resource) => !ids.has(resourceId(resource)));
}
