// Writes property values. Assets with the same values share requests. Values already written are not repeated.

import type { AssetType } from '../../api/operations/properties.ts';
import { collectCauses } from '../../engine/collect-causes.ts';
import type { NameLookUpDeps } from '../../engine/discovery/name-look-up-deps.ts';
import type { NodeContext } from '../../engine/node-context.ts';
import { writeOptions } from '../../engine/submit/call-outcome.ts';
import { splitCall } from '../../engine/submit/split-call.ts';
import { fail } from '../../failures/fail.ts';
import { computeShortSha256 } from '../../language/hash.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { AssetResult, StepAsset } from '../../plan/types.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import type { SharedValue } from '../../store/runs/shared-values.ts';
import {
  catchAssetFailure,
  type FailedDelivery,
  failedResultOf,
} from '../delivery/failed-delivery.ts';
import { readOutputs } from '../delivery/outputs/outputs.ts';
import { forgetModelProperties } from '../properties/model-properties.ts';
import { withDefinitions } from '../properties/property-definitions-cache.ts';
import { assetKinds } from './asset-kinds.ts';
import {
  createPropertyReader,
  type DesiredProperties,
  isComputedValue,
  type PropertyOptions,
} from './desired-properties.ts';
import { setPropertiesFailures } from './failures.ts';
import { openNamedAssets } from './named-assets.ts';
import { findPresent } from './present-values.ts';

/** Maximum number of ids that the platform accepts in one request. */
export const idsPerRequest = 100;

export async function setProperties(
  options: PropertyOptions,
  assets: StepAsset[],
  context: NodeContext,
): Promise<AssetResult[]> {
  const { assetType, names } = options;
  return withDefinitions(assetType, context, async (definitions) => {
    const idOf = names
      ? await openNamedAssets(assetType, context.step.id, context)
      : (name: string) => name;
    const { parameters } = context.run;
    const read = createPropertyReader(options, { definitions, idOf, parameters });
    const isOfOutputs = assetType === 'RENDER' && names === undefined;
    const knownAssets: readonly (StepAsset | FailedDelivery)[] = isOfOutputs
      ? await addOutputs(assets, context)
      : assets;
    const outcomes = knownAssets.map((asset) =>
      'error' in asset ? failedResultOf(asset) : read(asset),
    );
    const desiredItems = outcomes.filter((outcome) => 'write' in outcome);
    const unwrittenItems = desiredItems.filter((item) => !isAlreadyWritten(item, options, context));
    const claims = await claimShared(unwrittenItems, options, context);
    const presentItems = await findPresent(claims.agreed, options, context);
    const openItems = claims.agreed.filter((item) => !presentItems.has(item));
    const results = await writeAll(openItems, claims.sharedValues, options, context);
    return [
      ...outcomes.filter((outcome) => 'outcome' in outcome),
      ...desiredItems
        .filter((item) => !unwrittenItems.includes(item))
        .map(({ asset: { key } }): AssetResult => ({ key, outcome: 'done' })),
      ...claims.conflicts,
      ...[...presentItems].map((item) => toWrittenResult(item, assetType, context)),
      ...results,
    ];
  });
}

/** Reads the outputs that the wait did not store, such as videos, TIFFs and those of a retried job. */
function addOutputs(
  assets: readonly StepAsset[],
  context: NodeContext,
): Promise<(StepAsset | FailedDelivery)[]> {
  const addToAsset = (asset: StepAsset) =>
    catchAssetFailure(asset.key, async (): Promise<StepAsset> => {
      const { platformIds } = asset;
      if (platformIds.jobId === undefined) return asset;
      const outputs = await readOutputs(asset, ['renders'], context, false);
      return { ...asset, platformIds: { ...platformIds, outputs } };
    });
  return mapBounded(assets, addToAsset, { signal: context.signal });
}

/** @throws RunCauseError that lists all properties and assets that do not exist or are ambiguous */
export async function lookUpProperties(
  { assetType, names = [], values }: Pick<PropertyOptions, 'assetType' | 'names' | 'values'>,
  context: Omit<NameLookUpDeps, 'getConnector'>,
): Promise<void> {
  await withDefinitions(assetType, context, async (definitions) => {
    const promised = assetType === 'MATERIAL' ? context.promisedMaterials : undefined;
    const literal = names.filter((name) => !isComputedValue(name) && !promised?.has(name.trim()));
    const idOf =
      literal.length > 0 ? await openNamedAssets(assetType, 'lookup', context) : () => '';
    await collectCauses(
      [
        ...Object.keys(values).map((nameOrId) => () => definitions.property(nameOrId)),
        ...literal.map((name) => () => idOf(name.trim())),
      ],
      (lookUp) => lookUp(),
    );
  });
}

function markOf({ ids, fingerprint }: DesiredProperties, assetType: AssetType): string {
  return computeShortSha256([assetType, [...ids], fingerprint]).slice(0, 8);
}

function isAlreadyWritten(
  item: DesiredProperties,
  { assetType }: PropertyOptions,
  { step }: NodeContext,
): boolean {
  return item.asset.platformIds.properties?.[step.node] === markOf(item, assetType);
}

interface Claims {
  /** Claimed values, by the id of a platform object that several assets share. */
  sharedValues: Map<string, SharedValue>;
  agreed: DesiredProperties[];
  conflicts: AssetResult[];
}

/** If two assets set a shared resource to different values, the first asset's values stand and the second fails. */
async function claimShared(
  desiredItems: readonly DesiredProperties[],
  options: PropertyOptions,
  context: NodeContext,
): Promise<Claims> {
  const claims: Claims = { sharedValues: new Map(), agreed: [], conflicts: [] };
  const { assetType } = options;
  for (const item of desiredItems) {
    const { asset, fingerprint } = item;
    let conflict: string | undefined;
    for (const id of canBeShared(item, options) ? item.ids : []) {
      const knownValue = claims.sharedValues.get(id);
      // The claim contains the node, because another node may write other properties of the same resource.
      const ofNode = `${context.step.node} ${assetType} ${id}`;
      const claim = { id: ofNode, fingerprint, asset: asset.key };
      const sharedValue = knownValue ?? (await context.store.sharedValues.claim(claim));
      claims.sharedValues.set(id, sharedValue);
      if (sharedValue.fingerprint !== fingerprint)
        conflict ??= `asset ${sharedValue.asset} sets different values for ${assetType} ${id}`;
    }
    if (conflict === undefined) claims.agreed.push(item);
    else {
      const message = `${conflict} in this run; nothing was written for this asset`;
      claims.conflicts.push(fail(setPropertiesFailures.PROPERTIES_CONFLICT, asset.key, message));
    }
  }
  return claims;
}

/** True if another asset of the run may have one of the ids. */
function canBeShared(
  { asset: { source }, ids }: DesiredProperties,
  { assetType, names }: PropertyOptions,
): boolean {
  const { sharedBy } = assetKinds[assetType] ?? {};
  if (names !== undefined || sharedBy === 'any') return true;
  if (source.cell !== undefined) return sharedBy === 'objects and cells';
  // A platform object is one asset of the run, but its other ids, such as the model of a project, may be shared.
  const isObject = source.id !== undefined && ids.some((id) => id !== source.id);
  return isObject && sharedBy !== undefined;
}

async function writeAll(
  desiredItems: readonly DesiredProperties[],
  sharedValues: ReadonlyMap<string, SharedValue>,
  options: PropertyOptions,
  context: NodeContext,
): Promise<AssetResult[]> {
  const results: AssetResult[] = [];
  for (const group of groupBy(desiredItems, ({ fingerprint }) => fingerprint).values()) {
    const write = (part: readonly StepAsset[]) => {
      const items = group.filter(({ asset }) => part.includes(asset));
      return writeValues(items, sharedValues, options, context);
    };
    for (const part of splitIntoRequests(group)) {
      const assets = part.map(({ asset }) => asset);
      results.push(...(await splitCall(assets, write, context)));
    }
  }
  return results;
}

/** Splits items so that the ids of each part fit into one request. An item with more ids forms its own part. */
export function splitIntoRequests<Item extends { ids: readonly string[] }>(
  group: readonly Item[],
): Item[][] {
  const parts: Item[][] = [];
  let inPart = new Set<string>();
  for (const item of group) {
    const joinedIds = new Set([...inPart, ...item.ids]);
    const fits = parts.length > 0 && joinedIds.size <= idsPerRequest;
    inPart = fits ? joinedIds : new Set(item.ids);
    if (fits) parts.at(-1)?.push(item);
    else parts.push([item]);
  }
  return parts;
}

/** Writes values that are the same for all assets. The request is idempotent, so no intent is recorded. */
async function writeValues(
  part: readonly DesiredProperties[],
  sharedValues: ReadonlyMap<string, SharedValue>,
  { assetType, mode }: PropertyOptions,
  context: NodeContext,
): Promise<AssetResult[]> {
  const [first] = part;
  if (first === undefined) return [];
  const { set, unset } = first.write;
  const allIds = new Set(part.flatMap(({ ids }) => ids));
  const openIds = [...allIds].filter((id) => sharedValues.get(id)?.isWritten !== true);
  for (const ids of chunks(openIds, idsPerRequest)) {
    const changes = { ...(set.length > 0 && { set }), ...(unset.length > 0 && { unset }) };
    const body = { assetType, ids, ...changes, mode };
    await context.client.setAssetProperties({ body }, writeOptions(context));
  }
  if (assetType === 'MODEL') forgetModelProperties(context);
  for (const id of openIds) {
    const value = sharedValues.get(id);
    if (value) await context.store.sharedValues.finish(value, []);
  }
  return part.map((item) => toWrittenResult(item, assetType, context));
}

function toWrittenResult(
  item: DesiredProperties,
  assetType: AssetType,
  { step }: NodeContext,
): AssetResult {
  const properties = { [step.node]: markOf(item, assetType) };
  return { key: item.asset.key, outcome: 'done', platformIds: { properties } };
}
