// Takes files to the library: props and decals fifty a request, each material by a request of its own.
import { ExpressionError } from '../compile/expressions.ts';
import type { NodeContext } from '../nodes/node-context.ts';
import type { AssetResult, Plan, StepAsset } from '../plan/types.ts';
import { importItems } from './import-items.ts';
import { importMaterial } from './import-material.ts';
import { lookAtModel, withWarnings } from './ingest.ts';
import { collectionOf, type Going } from './library-collection.ts';
import { itemIdOf, kindOf, type LibraryKind } from './library-kinds.ts';
import { splitCall } from './split-call.ts';

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
  const results: AssetResult[] = assets
    .filter(isThere)
    .map(({ key }) => ({ key, outcome: 'done' }));
  const going: Record<LibraryKind, Going[]> = { prop: [], decal: [], material: [] };
  for (const asset of assets.filter((one) => !isThere(one))) {
    const ready = withCollection(asset, config, context.run.parameters);
    if ('outcome' in ready) results.push(ready);
    else going[kindOf(asset.source)].push(ready);
  }
  const { sound, refused, warnings } = await lookAtProps(going.prop, config, context);
  results.push(...refused);
  const { connector } = config;
  results.push(...(await importItems('prop', sound, connector, context)));
  results.push(...(await importItems('decal', going.decal, connector, context)));
  const materials = await context.transfers.each(going.material, (asset) =>
    splitCall([asset], () => importMaterial(asset, connector, context)),
  );
  results.push(...materials.flat());
  return results.map((result) => withWarnings(result, warnings.get(result.key) ?? []));
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
    return { key, outcome: 'failed', code: 'EXPRESSION_FAILED', message: error.message };
  }
}

/** The platform gives no reason for a prop that fails, so a broken file is refused with ours. */
async function lookAtProps(props: Going[], config: ImportConfig, context: NodeContext) {
  const looks = await context.transfers.each(props, (asset) => lookAtModel(asset, config, context));
  return {
    sound: props.filter((_, index) => !looks[index]?.refused),
    refused: looks.flatMap(({ refused }) => refused ?? []),
    warnings: new Map(looks.map(({ key, warnings }) => [key, warnings])),
  };
}
