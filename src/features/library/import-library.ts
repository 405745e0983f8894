// Uploads files to the library with up to fifty props or decals per request, but only one material.

import type { NodeContext } from '../../engine/node-context.ts';
import { fail } from '../../failures/fail.ts';
import { ExpressionError, toExpressionScope } from '../../language/expressions.ts';
import { evaluateTemplate } from '../../language/value-template.ts';
import type { AssetResult, Plan, StepAsset } from '../../plan/types.ts';
import { type FileFindings, inspectBeforeUpload, withFindings } from '../models/ingest.ts';
import { type ImportingAsset, type Items, importItems } from './import-items.ts';
import { importMaterials } from './import-materials.ts';
import { inspectPictures } from './inspect-pictures.ts';
import { findItemId, kindOf, type LibraryKind } from './library-kinds.ts';

type KindOptions = { collection?: string | undefined } | undefined;

interface ImportConfig {
  connector: string;
  props?: KindOptions;
  decals?: KindOptions;
  materials?: KindOptions;
}

export async function importLibrary(
  config: ImportConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { connector } = config;
  const importedAssets = assets.filter(hasLibraryItem);
  const results = importedAssets.map(({ key }): AssetResult => ({ key, outcome: 'done' }));
  const newAssets = assets.filter((asset) => !hasLibraryItem(asset));
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

/** Inspects the file before anything is created, because failed props remain and the platform returns no reason. */
function inspectSource(
  asset: StepAsset,
  connector: string,
  context: NodeContext,
): Promise<FileFindings> {
  return kindOf(asset.source) === 'prop'
    ? inspectBeforeUpload(asset, { connector }, context)
    : inspectPictures(asset, connector, context);
}

function hasLibraryItem({ source, platformIds }: StepAsset): boolean {
  return findItemId(source, platformIds) !== undefined;
}

function withCollection(
  asset: StepAsset,
  config: ImportConfig,
  parameters: Plan['parameters'],
): ImportingAsset | AssetResult {
  const text = config[`${kindOf(asset.source)}s`]?.collection ?? '';
  try {
    const collection = String(evaluateTemplate(text, toExpressionScope(asset, parameters))).trim();
    return collection === '' ? asset : { ...asset, collection };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return fail(error.failure, asset.key, error.message);
  }
}
