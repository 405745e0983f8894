// Moves of records to the key of a source that was moved. A claim on the record itself keeps two keys from taking it, in two runs
// at once; where its run has died it tells the next one what is to be ended.
import { recordName } from '../objects/object-name.ts';
import type { MovedFrom } from '../records/moved-from.ts';
import type { AssetRecord, Records } from '../records/records.ts';
import type { Claim, ClaimOptions, ClaimResult, Claims, ClaimWish } from './claims.ts';
import { moveKeyOf } from './move-key.ts';

/** Deletes what was delivered under the old key, and tells what could not be. */
export type Tidy = (record: AssetRecord) => Promise<unknown>;

interface Stores {
  claims: Claims;
  records: Pick<Records, 'read' | 'remove'>;
}

/** Claims the record for the key of this wish. */
export function claimMove(
  claims: Claims,
  moved: MovedFrom,
  { key, version, recipe, shard }: ClaimWish & { recipe: string },
  { isAlive }: Pick<ClaimOptions, 'isAlive'>,
): Promise<ClaimResult> {
  const to = recordName(key, version, recipe);
  const wish = { key: moveKeyOf(moved.record), version, recipe, shard, moved: { ...moved, to } };
  return claims.claim(wish, { isAlive });
}

export function releaseMove(claims: Claims, moved: MovedFrom): Promise<void> {
  return claims.release(moveKeyOf(moved.record));
}

/** The record under the old key ends. Safe when it runs twice. */
export async function endMove({ claims, records }: Stores, moved: MovedFrom): Promise<void> {
  await records.remove(moved.record);
  await releaseMove(claims, moved);
}

/** A move whose new record is written, and whose run has died before it ended the old one. */
export interface OpenMove {
  moved: MovedFrom;
  record: AssetRecord;
  claim: Claim;
}

/** @param names encoded, of claims on records */
export async function openMoves(
  { claims, records }: Stores,
  names: readonly string[],
): Promise<OpenMove[]> {
  const open: OpenMove[] = [];
  for (const name of names) {
    const claim = await claims.readNamed(name);
    if (claim?.moved?.to === undefined) continue;
    const record = await records.read(claim.moved.to);
    const moved = record?.moved;
    if (record && moved?.record === claim.moved.record) open.push({ moved, record, claim });
  }
  return open;
}

/** Ends what a run that died has begun to move. Others may do the same at the same time. */
export async function finishMoves(
  stores: Stores,
  moves: readonly OpenMove[],
  tidy: Tidy,
): Promise<void> {
  for (const { moved, record, claim } of moves) {
    await tidy(record);
    await stores.records.remove(moved.record);
    await stores.claims.drop(claim);
  }
}
