// Shares models among the cells of a grid. All cells of a model reuse its upload, and cells with equal outer positions
// also reuse resources that depend only on those positions. Pure, apart from reading records.
import { omitUndefined } from '../../../plan/helpers/omit-undefined.ts';
import { mapBounded } from '../../objects/map-bounded.ts';
import { encodeKey } from '../../objects/object-name.ts';
import { PromiseCache } from '../../objects/promise-cache.ts';
import { findCommonPositions } from '../../records/asset-recipe.ts';
import { modelKeyOf, sharedKeyOf } from '../../records/cell-keys.ts';
import type { RunAsset } from '../../runs/run-assets.ts';
import type { DiscoveryContext } from '../known-work.ts';
import type { TouchedAsset } from '../verify.ts';
import type { Grid } from './grid.ts';
import { findRemovedCells } from './removed-cells.ts';
import { type HashFile, isSameFile, mayBeSameFile } from './same-file.ts';

/** The fields that a cell takes from another cell. The hash is that of their common file. */
type SharedFields = Pick<RunAsset, 'platformIds' | 'sourceSha256'>;

interface SharedModelsInput extends Omit<DiscoveryContext, 'claims'> {
  hash: HashFile;
  touched: readonly Pick<TouchedAsset, 'record'>[];
}

/** Adds ids shared with another cell to new cells, and to cells with a new file that no run has tried. */
export async function withSharedModels(
  assets: readonly RunAsset[],
  grid: Grid,
  { index, claimed, records, idRules, category = null, hash, touched, signal }: SharedModelsInput,
): Promise<RunAsset[]> {
  // A run has just renamed these records.
  const touchedRecords = new Map(touched.map(({ record }) => [record.key, record]));
  let removedCells: string[] | undefined;
  /** Lists the cells of the model, nearest first. Cells that the grid no longer has are last. */
  function* otherCells(asset: RunAsset): Generator<string> {
    const model = modelKeyOf(asset);
    const others = grid.keysOf(model);
    const nearest = `${outerKeyOf(asset)}@`;
    yield* new Set([...others.filter((key) => key.startsWith(nearest)), ...others]);
    removedCells ??= findRemovedCells(index, grid);
    yield* removedCells.filter((key) => key.startsWith(`${model}@`));
  }
  const sharedOf = async (asset: RunAsset): Promise<SharedFields> => {
    const { source } = asset;
    for (const key of otherCells(asset)) {
      const entry = index.get(key);
      if (!entry || !mayBeSameFile(entry, source)) continue;
      const record = touchedRecords.get(key) ?? (await records.read(entry.name));
      // A model's name may contain an @ itself, so a key that starts alike may be a cell of another model.
      if (!record || modelKeyOf(record) !== modelKeyOf(asset)) continue;
      if (!(await isSameFile(record, source, hash))) continue;
      const { platformIds, sourceSha256 } = record;
      const common = findCommonPositions(source, record.source).slice(
        0,
        countOuterDimensions(asset),
      );
      const sharedIds = {
        ...idRules.uploadIds(platformIds, category),
        ...idRules.ofModel(platformIds),
        ...idRules.ofPositions(platformIds, common),
      };
      return {
        ...(Object.keys(sharedIds).length > 0 ? { platformIds: sharedIds } : {}),
        ...omitUndefined({ sourceSha256 }),
      };
    }
    return {};
  };
  const fieldsByModel = new PromiseCache<SharedFields>();
  const withModel = async (asset: RunAsset): Promise<RunAsset> => {
    const { key, reason, platformIds } = asset;
    // An earlier run that has tried this version of the file may have left a model in the claim.
    const isUntried = reason === 'new' || (reason === 'changed' && !claimed.has(encodeKey(key)));
    // Assets from the platform, and assets of a delivered file, already have their model.
    if (platformIds !== undefined || !isUntried) return asset;
    const shared = fieldsByModel.getOrStart(outerKeyOf(asset), () => sharedOf(asset));
    return { ...asset, ...(await shared) };
  };
  return mapBounded(assets, withModel, { signal });
}

/** Returns the key shared by cells that differ only along the innermost dimension. */
function outerKeyOf(asset: RunAsset): string {
  return sharedKeyOf(asset, countOuterDimensions(asset));
}

function countOuterDimensions({ source: { cell } }: RunAsset): number {
  return Math.max((cell?.positions.length ?? 0) - 1, 0);
}
