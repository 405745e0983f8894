import type { AssetType } from '../../api/operations/properties.ts';
import { isSameName } from '../../api/requests/name-comparison.ts';
import { suggestName } from '../../api/requests/nearest-name.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import { RunCauseError } from '../../engine/engine-errors.ts';
import { sharePerPoller } from '../../engine/polling/poller-context.ts';
import { formatFirst } from '../../plan/helpers/format-first.ts';
import { PromiseCache } from '../../store/objects/promise-cache.ts';
import { createIdMatcher } from '../../store/search/id-spelling.ts';
import { propertyFailures } from '../properties/failures.ts';
import { searchAssets } from '../properties/search-assets.ts';

/** The platform lists no assets beyond this offset. */
const maxListed = 100_000;
const maxListsRemembered = 20;
const maxIdsShown = 10;

interface NamedAsset {
  id: string;
  name: string;
}

/** All assets of a type. Null if the workspace contains more than can be listed. */
type AssetList = readonly NamedAsset[] | null;

const listsOf = sharePerPoller(() => new PromiseCache<AssetList>(maxListsRemembered));

/**
 * Returns a function that finds the id of a name. It throws RunCauseError for an unknown or ambiguous name. If there
 * are too many assets to list, all names count as ids.
 * @param reader each reader lists the assets again, because a node may have created one since the last listing
 */
export async function openNamedAssets(
  assetType: AssetType,
  reader: string,
  context: Omit<NameLookUpDeps, 'getConnector'>,
): Promise<(nameOrId: string) => string> {
  const lists = listsOf(context.pollerContext);
  const name = `${assetType} ${context.run.run} ${reader}`;
  const assets = await lists.getOrStart(name, () => listAssets(assetType, context));
  return (nameOrId) => {
    if (assets === null) return nameOrId;
    try {
      return findByName(nameOrId, assets, assetType);
    } catch (error) {
      // The list is not kept, because a person may add the asset before resuming the run.
      lists.forget(name);
      throw error;
    }
  };
}

async function listAssets(
  assetType: AssetType,
  { pollerContext: { client }, requests, signal }: Omit<NameLookUpDeps, 'getConnector'>,
): Promise<AssetList> {
  const deps = { client, requests, signal };
  const assets = await searchAssets({ assetType, properties: [] }, maxListed, deps);
  return assets && assets.map(({ id, name = '' }) => ({ id, name }));
}

function findByName(nameOrId: string, assets: readonly NamedAsset[], assetType: AssetType): string {
  const matches = assets.filter(({ name }) => isSameName(name, nameOrId));
  const isId = createIdMatcher(nameOrId);
  const exactMatch = assets.find(({ id }) => isId(id));
  const asset = exactMatch ?? (matches.length === 1 ? matches[0] : undefined);
  if (asset) return asset.id;
  if (matches.length > 1) {
    const ids = matches.map(({ id }) => id);
    const message = `${matches.length} assets of type ${assetType} are named "${nameOrId}": ${formatFirst(ids, maxIdsShown)}`;
    throw new RunCauseError(propertyFailures.NAMED_ASSET_AMBIGUOUS, message);
  }
  const names = assets.flatMap(({ name }) => (name === '' ? [] : [name]));
  const list = names.length === 0 ? 'available: none' : `available: ${formatFirst(names, 20)}`;
  const hint = suggestName(nameOrId, names) ?? list;
  const message = `the workspace has no ${assetType} "${nameOrId}"; ${hint}`;
  throw new RunCauseError(propertyFailures.NAMED_ASSET_NOT_FOUND, message);
}
