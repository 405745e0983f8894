// What a colorway grid knows of its models: a model that one colorway was made of serves all others. Pure but for
// the records that it reads.
import type { Refs } from '../plan/types.ts';
import { withoutUndefined } from '../plan/without-undefined.ts';
import { cellKey, modelKeyOf } from './asset-names.ts';
import { mapBounded } from './bounded.ts';
import type { DiscoverAssetsInput, Grid } from './discover.ts';
import type { ManifestAsset } from './manifest.ts';
import { isSameVersion } from './records.ts';
import { isBuiltOf } from './source-version.ts';
import { uploadedAs } from './uploaded-as.ts';

/** Assets without a record of their own get the model that another colorway of the same file was made of. */
export async function withModels(
  assets: readonly ManifestAsset[],
  grid: Grid,
  { index, records, category = null, signal }: DiscoverAssetsInput,
): Promise<ManifestAsset[]> {
  const models = new Map<string, Promise<Refs>>();
  const modelOf = async (asset: ManifestAsset): Promise<Refs> => {
    const model = modelKeyOf(asset);
    const entries = grid.namesOf(model).flatMap((name) => {
      const entry = index.get(cellKey(model, name));
      return entry && isSameVersion(entry, asset.source.version) ? [entry] : [];
    });
    for (const { name } of entries) {
      const record = await records.read(name);
      if (!record || !isBuiltOf(record.source.version, asset.source.version)) continue;
      const { drawn } = record.refs;
      return { ...uploadedAs(record.refs, category), ...withoutUndefined({ drawn }) };
    }
    return {};
  };
  const withModel = async (asset: ManifestAsset): Promise<ManifestAsset> => {
    // What the platform has already, and what was delivered before, tells of its model itself.
    if (asset.refs !== undefined || asset.reason !== 'new') return asset;
    const known = models.get(modelKeyOf(asset)) ?? modelOf(asset);
    models.set(modelKeyOf(asset), known);
    const refs = await known;
    return Object.keys(refs).length > 0 ? { ...asset, refs } : asset;
  };
  return mapBounded(assets, withModel, { signal });
}
