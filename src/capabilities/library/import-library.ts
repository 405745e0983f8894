// Uploads files to the library: props and decals fifty per request, each material with its own request.
import { fail } from '../../failures/fail.ts';
import { ExpressionError } from '../../language/expressions.ts';
import type { NodeContext } from '../../machinery/node-context.ts';
import type { AssetResult, Plan, StepAsset } from '../../plan/types.ts';
import { lookAtModel, type Seen, withLooks } from '../models/ingest.ts';
import { type Items, importItems } from './import-items.ts';
import { importMaterials } from './import-materials.ts';
import { collectionOf, type Going } from './library-collection.ts';
import { itemIdOf, kindOf, type LibraryKind } from './library-kinds.ts';
import { lookAtPictures } from './look-at-pictures.ts';

interface Kind {
  collection?: string | undefined;
}

export interface ImportConfig {
  connector: string;
  props?: Kind | undefined;
  decals?: Kind | undefined;
  materials?: Kind | undefined;
}

export async function importLibrary(
  config: ImportConfig,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { connector } = config;
  const results: AssetResult[] = assets
    .filter(isThere)
    .map(({ key }) => ({ key, outcome: 'done' }));
  const fresh = assets.filter((asset) => !isThere(asset));
  const looks = await context.transfers.each(fresh, (asset) => lookAt(asset, connector, context));
  const refused = fresh.filter((_, index) => looks[index]?.refused);
  const going: Going[] = [];
  for (const asset of fresh.filter((_, index) => !looks[index]?.refused)) {
    const ready = withCollection(asset, config, context.run.parameters);
    if ('outcome' in ready) results.push(ready);
    else going.push(ready);
  }
  const itemsOf = (kind: LibraryKind): Items => {
    const isOfKind = ({ source }: StepAsset) => kindOf(source) === kind;
    return { assets: going.filter(isOfKind), refused: refused.filter(isOfKind), connector };
  };
  results.push(...(await importItems('prop', itemsOf('prop'), context)));
  results.push(...(await importItems('decal', itemsOf('decal'), context)));
  results.push(...(await importMaterials(itemsOf('material'), context)));
  return withLooks(results, looks);
}

/** Inspects the file before anything is created: the platform gives no reason for failed props, and their records remain. */
function lookAt(asset: StepAsset, connector: string, context: NodeContext): Promise<Seen> {
  return kindOf(asset.source) === 'prop'
    ? lookAtModel(asset, { connector }, context)
    : lookAtPictures(asset, connector, context);
}

function isThere({ source, refs }: StepAsset): boolean {
  return itemIdOf(source, refs) !== undefined;
}

function withCollection(
  asset: StepAsset,
  config: ImportConfig,
  parameters: Plan['parameters'],
): Going | AssetResult {
  const text = config[`${kindOf(asset.source)}s`]?.collection;
  try {
    return { ...asset, ...collectionOf(asset, text, parameters) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    const { key } = asset;
    return fail(error.failure, key, error.message);
  }
}
