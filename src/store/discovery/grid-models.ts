// What a colorway grid knows of its models: a model that one colorway was made of serves all others, and the variant of
// a colorway all of its views. Pure but for the records that it reads.
import type { Refs } from '../../plan/types.ts';
import { withoutUndefined } from '../../plan/without-undefined.ts';
import { mapBounded } from '../objects/bounded.ts';
import { modelKeyOf, viewedKeyOf } from '../records/asset-names.ts';
import { isSameColorway } from '../records/asset-recipe.ts';
import { isSameVersion, type RecordIndex, type Records } from '../records/records.ts';
import { isBuiltOf } from '../records/source-version.ts';
import { uploadedAs } from '../records/uploaded-as.ts';
import type { ManifestAsset } from '../runs/manifest.ts';
import type { Grid } from './grid.ts';

interface Known {
  index: RecordIndex;
  records: Pick<Records, 'read'>;
  /** Category that the pipeline gives its models. */
  category?: string | null;
  signal?: AbortSignal;
}

/** Assets without a record of their own get what other cells of the same file were made of. */
export async function withModels(
  assets: readonly ManifestAsset[],
  grid: Grid,
  { index, records, category = null, signal }: Known,
): Promise<ManifestAsset[]> {
  const sharedOf = async (asset: ManifestAsset): Promise<Refs> => {
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
      if (!record || !isBuiltOf(record.source.version, source.version)) continue;
      const { drawn, variants, variantName } = record.refs;
      const isViewed = source.view !== undefined && isSameColorway(record.source, source);
      return {
        ...uploadedAs(record.refs, category),
        ...withoutUndefined({ drawn, ...(isViewed ? { variants, variantName } : {}) }),
      };
    }
    return {};
  };
  const known = new Map<string, Promise<Refs>>();
  const withModel = async (asset: ManifestAsset): Promise<ManifestAsset> => {
    // What the platform has already, and what was delivered before, tells of its model itself.
    if (asset.refs !== undefined || asset.reason !== 'new') return asset;
    const name = asset.source.view ? viewedKeyOf(asset) : modelKeyOf(asset);
    const shared = known.get(name) ?? sharedOf(asset);
    known.set(name, shared);
    const refs = await shared;
    return Object.keys(refs).length > 0 ? { ...asset, refs } : asset;
  };
  return mapBounded(assets, withModel, { signal });
}
