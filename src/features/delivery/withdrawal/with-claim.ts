// Claims an asset while a withdrawal changes its record. Whatever an earlier run left in the claim stays.
import type { Claim, HolderOptions } from '../../../store/claims/claims.ts';
import type { AssetRecord } from '../../../store/records/records.ts';
import type { RunStore } from '../../../store/runs/run-store.ts';

export interface ClaimContext extends HolderOptions {
  store: Pick<RunStore, 'claims'>;
  assertLease: () => Promise<void>;
}

/** Recipe of a withdrawal's claim. The asset's platform ids are in its record, not in this claim. */
const withdrawalRecipe = 'withdrawal';

/** Runs the task while this run holds the asset's claim. Returns null if another run uses or withdraws the asset. */
export async function withClaim<T>(
  record: AssetRecord,
  context: ClaimContext,
  task: () => Promise<T>,
): Promise<T | null> {
  const { isAlive, takeOverMs = null } = context;
  const { claims } = context.store;
  const { key } = record;
  const foundClaim = await claims.read(key);
  await context.assertLease();
  // Version and recipe of an existing claim are kept, so that a later run can reuse what a failed run created.
  const { version, recipe } = foundClaim ?? {
    version: record.source.version,
    recipe: withdrawalRecipe,
  };
  // Another run may have changed the claim since it was read.
  const replacedClaims: Claim[] = [];
  const result = await claims.claim(
    { key, version, recipe, shard: 0 },
    {
      isAlive,
      takeOverMs,
      async adopt(claim) {
        replacedClaims.push(claim);
        return claim.platformIds ?? {};
      },
    },
  );
  if (!result.isOurs) return null;
  // An earlier attempt of this run may have taken the claim. If it was released instead, nothing is restored.
  const ownClaim = result.claim.token === foundClaim?.token ? foundClaim : null;
  const previousClaim = replacedClaims.at(-1) ?? ownClaim;
  try {
    return await task();
  } finally {
    await restoreClaim(key, previousClaim, context);
  }
}

export async function restoreClaim(
  key: string,
  previousClaim: Claim | null,
  { store }: Pick<ClaimContext, 'store'>,
): Promise<void> {
  if (previousClaim === null || previousClaim.recipe === withdrawalRecipe)
    return store.claims.release(key);
  const { version, recipe, shard, platformIds, state, failure = null } = previousClaim;
  const claim = { key, version, recipe, shard, ...(platformIds ? { platformIds } : {}) };
  await store.claims.markFree(claim, state === 'working' ? 'cancelled' : state, failure);
}
