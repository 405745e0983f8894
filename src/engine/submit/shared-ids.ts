// Detects ids that the platform has assigned to two assets. Otherwise, one asset would get the pictures of the other.
import type { OperationId } from '../../api/operations/index.ts';
import { findCreatedResource } from '../../api/resources.ts';
import { assetFailures } from '../../failures/assets.ts';
import { fail } from '../../failures/fail.ts';
import { groupBy } from '../../plan/helpers/group-by.ts';
import type { PlatformIds } from '../../plan/platform-ids.ts';
import type { AssetResult } from '../../plan/types.ts';
import type { FinishedCall } from '../../store/calls/finished-calls.ts';
import type { NodeContext } from '../node-context.ts';
import type { IdsByAsset } from './call-outcome.ts';
import type { Creation } from './creation.ts';

interface CreatedId {
  id: string;
  /** What the id was created for, by default the asset. Two assets with the same owner may share an id. */
  owner: string;
  asset: string;
}

/**
 * Replaces ids that another asset of the shard also received, in this response or an earlier one, with a description of
 * the problem. If one response assigns an id to two assets, both lose it, because its owner is unknown.
 */
export async function replaceSharedIds<Id extends OperationId>(
  call: FinishedCall,
  creation: Creation<Id>,
  idsByAsset: IdsByAsset,
  { store, shard }: Pick<NodeContext, 'store' | 'shard'>,
): Promise<IdsByAsset> {
  const createdIds = idsOf({ ...call, result: idsByAsset }, creation);
  if (createdIds.length === 0) return idsByAsset;
  const others = (await store.finishedCallsOf(shard)).filter(({ key }) => key !== call.key);
  const earlierIds = others.flatMap((other) => idsOf(other, creation));
  const byId = groupBy([...earlierIds, ...createdIds], ({ id }) => id);
  const conflicts = createdIds.flatMap(({ id, owner, asset }) => {
    const other = byId.get(id)?.find((createdId) => createdId.owner !== owner);
    if (other === undefined) return [];
    return [[asset, { idConflict: describeSharedId(call.operation, id, other.asset) }] as const];
  });
  return { ...idsByAsset, ...Object.fromEntries(conflicts) };
}

/** Returns the ids from a call that the ids of this creation must not equal. */
function idsOf<Id extends OperationId>(call: FinishedCall, creation: Creation<Id>): CreatedId[] {
  const idOf = createIdReader(call.operation, creation);
  if (idOf === null) return [];
  const { result = {} } = call;
  return call.assets.flatMap((asset) => {
    const id = idOf(result[asset] ?? {});
    if (id === undefined || id === '') return [];
    return [{ id, owner: creation.unique?.ownerOf(call) ?? asset, asset }];
  });
}

/** Returns a function that reads the id of the created kind. Null if the operation creates none of that kind. */
function createIdReader<Id extends OperationId>(
  operation: string,
  creation: Creation<Id>,
): ((platformIds: PlatformIds) => string | undefined) | null {
  if (creation.unique) return operation === creation.operation ? creation.unique.idOf : null;
  const idField = findCreatedResource(creation.operation)?.idField;
  if (idField === undefined || findCreatedResource(operation)?.idField !== idField) return null;
  return (platformIds) => {
    const id = new Map<string, unknown>(Object.entries(platformIds)).get(idField);
    return typeof id === 'string' ? id : undefined;
  };
}

function describeSharedId(operation: string, id: string, other: string): string {
  return `the platform returned ${id} (${operation}) for this asset and for "${other}", so the result may show the other asset`;
}

/** Fails an asset whose id belongs to another asset. */
export function failSharedId(result: AssetResult): AssetResult {
  const description = 'platformIds' in result ? result.platformIds?.idConflict : undefined;
  return description === undefined
    ? result
    : fail(assetFailures.ID_OF_ANOTHER, result.key, description);
}
