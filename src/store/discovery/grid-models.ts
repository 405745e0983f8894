// Shares models among the cells of a colorway grid: a model that was uploaded for one colorway serves all others, and the
// variant of a colorway serves all of its views. Pure, apart from reading records.
import { withoutUndefined } from '../../plan/helpers/without-undefined.ts';
import { mapBounded } from '../objects/map-bounded.ts';
import { isSameColorway } from '../records/asset-recipe.ts';
import { modelKeyOf, viewedKeyOf } from '../records/cell-keys.ts';
import type { IdRules } from '../records/id-rules.ts';
import { isSameVersion, type RecordIndex, type Records } from '../records/records.ts';
import { canReuseWork } from '../records/source-version.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { Grid } from './grid.ts';

interface ModelContext {
  index: RecordIndex;
  records: Pick<Records, 'read'>;
  idRules: IdRules;
  /** Category that the pipeline gives its models. */
  category?: string | null;
  signal?: AbortSignal;
}

/** What a cell without a record takes from another cell; the hash is that of their common file. */
type Shared = Pick<ManifestAsset, 'platformIds' | 'sourceSha256'>;

/** Gives assets without a record the ids of other cells of the same file. */
export async function withSharedModels(
  assets: readonly ManifestAsset[],
  grid: Grid,
  { index, records, idRules, category = null, signal }: ModelContext,
): Promise<ManifestAsset[]> {
  const sharedOf = async (asset: ManifestAsset): Promise<Shared> => {
    const { source } = asset;
    const others = grid.keysOf(modelKeyOf(asset));
    const views = `${viewedKeyOf(asset)}@`;
    const inOrder = source.view
      ? [...others.filter((key) => key.startsWith(views)), ...others]
      : others;
    for (const key of inOrder) {
      const entry = index.get(key);
      if (!entry || !isSameVersion(entry, source.version)) continue;
      const record = await records.read(entry.name);
      if (!record || !canReuseWork(record.source.version, source.version)) continue;
      const { platformIds, sourceSha256 } = record;
      const isViewed = source.view !== undefined && isSameColorway(record.source, source);
      const shared = {
        ...idRules.uploadIds(platformIds, category),
        ...idRules.ofModel(platformIds),
        ...(isViewed ? idRules.ofColorway(platformIds) : {}),
      };
      return {
        ...(Object.keys(shared).length > 0 ? { platformIds: shared } : {}),
        ...withoutUndefined({ sourceSha256 }),
      };
    }
    return {};
  };
  const known = new Map<string, Promise<Shared>>();
  const withModel = async (asset: ManifestAsset): Promise<ManifestAsset> => {
    // Assets from the platform, and assets that were delivered before, already have their model.
    if (asset.platformIds !== undefined || asset.reason !== 'new') return asset;
    const name = asset.source.view ? viewedKeyOf(asset) : modelKeyOf(asset);
    const shared = known.get(name) ?? sharedOf(asset);
    known.set(name, shared);
    return { ...asset, ...(await shared) };
  };
  return mapBounded(assets, withModel, { signal });
}
