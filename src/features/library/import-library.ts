// Uploads files to the library: props and decals up to fifty per request, each material with its own request.

import type { NodeContext } from '../../engine/node-context.ts';
import { fail } from '../../failures/fail.ts';
import { ExpressionError } from '../../language/expressions.ts';
import type { AssetResult, Plan, StepAsset } from '../../plan/types.ts';
import { type FileFindings, inspectBeforeUpload, withFindings } from '../models/ingest.ts';
import {
  evaluateCollection,
  type ImportingAsset,
  type Items,
  importItems,
} from './import-items.ts';
import { importMaterials } from './import-materials.ts';
import { inspectPictures } from './inspect-pictures.ts';
import { itemIdOf, kindOf, type LibraryKind } from './library-kinds.ts';

interface KindOptions {
  collection?: string | undefined;
}

export interface ImportConfig {
  connector: string;
  props?: KindOptions | undefined;
  decals?: KindOptions | undefined;
  materials?: KindOptions | undefined;
}

export async function importLibrary(
  config: ImportConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { connector } = config;
  const results: AssetResult[] = assets
    .filter(hasItem)
    .map(({ key }) => ({ key, outcome: 'done' }));
  const newAssets = assets.filter((asset) => !hasItem(asset));
  const findings = await context.transfers.forEach(newAssets, (asset) =>
    inspectSource(asset, connector, context),
  );
  const refusedAssets = newAssets.filter((_, index) => findings[index]?.refusal);
  const importingAssets: ImportingAsset[] = [];
  for (const asset of newAssets.filter((_, index) => !findings[index]?.refusal)) {
    const assetOrResult = withCollection(asset, config, context.run.parameters);
    if ('outcome' in assetOrResult) results.push(assetOrResult);
    else importingAssets.push(assetOrResult);
  }
  const itemsOfKind = (kind: LibraryKind): Items => {
    const isOfKind = ({ source }: StepAsset) => kindOf(source) === kind;
    return {
      assets: importingAssets.filter(isOfKind),
      refusedAssets: refusedAssets.filter(isOfKind),
      connector,
    };
  };
  results.push(...(await importItems('prop', itemsOfKind('prop'), context)));
  results.push(...(await importItems('decal', itemsOfKind('decal'), context)));
  results.push(...(await importMaterials(itemsOfKind('material'), context)));
  return withFindings(results, findings);
}

/** Inspects the file before anything is created: failed props remain, and the platform gives no reason. */
function inspectSource(
  asset: StepAsset,
  connector: string,
  context: NodeContext,
): Promise<FileFindings> {
  return kindOf(asset.source) === 'prop'
    ? inspectBeforeUpload(asset, { connector }, context)
    : inspectPictures(asset, connector, context);
}

function hasItem({ source, platformIds }: StepAsset): boolean {
  return itemIdOf(source, platformIds) !== undefined;
}

function withCollection(
  asset: StepAsset,
  config: ImportConfig,
  parameters: Plan['parameters'],
): ImportingAsset | AssetResult {
  const text = config[`${kindOf(asset.source)}s`]?.collection;
  try {
    return { ...asset, ...evaluateCollection(asset, text, parameters) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { key } = asset;
    return fail(error.failure, key, error.message);
  }
}
