// Moves records to the new key of a moved source. A claim on the record itself keeps two keys, even in two concurrent
// runs, from taking the record. If the run dies, the claim contains the move that the next run must finish.
import { recordName } from '../objects/object-name.ts';
import type { AssetRecord, MovedFrom, Records } from '../records/records.ts';
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  type Claims,
  type HolderOptions,
  moveClaimKey,
} from './claims.ts';

/** Deletes the files that were delivered under the old key, and returns what could not be deleted. */
export type RemoveOldFiles = (record: AssetRecord) => Promise<unknown>;

interface MoveStores {
  claims: Claims;
  records: Pick<Records, 'read' | 'remove'>;
}

/** Claims the record for the key of this request. */
export function claimMove(
  claims: Claims,
  movedFrom: MovedFrom,
  { key, version, recipe, shard }: ClaimRequest & { recipe: string },
  holderOptions: HolderOptions,
): Promise<ClaimResult> {
  const target = { ...movedFrom, to: recordName(key, version, recipe) };
  const request = { key: moveClaimKey(movedFrom.record), version, recipe, shard, moved: target };
  return claims.claim(request, holderOptions);
}

export function releaseMove(claims: Claims, movedFrom: MovedFrom): Promise<void> {
  return claims.release(moveClaimKey(movedFrom.record));
}

/** Deletes the record under the old key and releases its claim. Safe to repeat. */
export async function endMove(
  { claims, records }: MoveStores,
  movedFrom: MovedFrom,
): Promise<void> {
  await records.remove(movedFrom.record);
  await releaseMove(claims, movedFrom);
}

/** A move whose new record is written, but whose old record is not deleted yet, usually because its run died. */
export interface OpenMove {
  moved: MovedFrom;
  record: AssetRecord;
  claim: Claim;
}

/** @param names encoded names of claims on records */
export async function openMoves(
  { claims, records }: MoveStores,
  names: readonly string[],
): Promise<OpenMove[]> {
  const unfinishedMoves: OpenMove[] = [];
  for (const name of names) {
    const claim = await claims.readNamed(name);
    if (claim?.moved?.to === undefined) continue;
    const record = await records.read(claim.moved.to);
    const movedFrom = record?.moved;
    if (record && movedFrom?.record === claim.moved.record)
      unfinishedMoves.push({ moved: movedFrom, record, claim });
  }
  return unfinishedMoves;
}

/** Finishes open moves. Other runs may do the same at the same time. */
export async function finishMoves(
  stores: MoveStores,
  moves: readonly OpenMove[],
  removeOldFiles: RemoveOldFiles,
): Promise<void> {
  for (const { moved, record, claim } of moves) {
    await removeOldFiles(record);
    await stores.records.remove(moved.record);
    await stores.claims.removeIfUnchanged(claim);
  }
}
