// Finds what earlier runs have already done for assets that they did not deliver, so that no plan counts it again.
import type { FoundAsset, FoundWork } from '../engine/cost/found-work.ts';
import { type ReusableStages, workStages } from '../plan/stages.ts';
import type { Stages } from '../plan/types.ts';
import type { Claim } from '../store/claims/claims.ts';
import { mapBounded } from '../store/objects/map-bounded.ts';
import { encodeKey } from '../store/objects/object-name.ts';
import { computeReusableStages, type KnownRecipes } from '../store/records/recipes.ts';
import { canReuseWork } from '../store/records/source-version.ts';
import type { RunStore } from '../store/runs/run-store.ts';
import { findOutputKind } from './delivery/outputs/output-types.ts';
import type { OutputRef } from './renders/platform-ids.ts';

/** Maximum number of claims that a preview reads, with one request each. */
export const maxClaimsRead = 10_000;

type ClaimStore = Pick<RunStore, 'claims' | 'recipes' | 'idRules' | 'context'>;

/**
 * Adds the stages that earlier runs have finished for assets that they did not deliver, and the outputs of their
 * renders. The next run continues from there. Also adds the upload of a file whose model other assets have.
 * @param stages stages of the current recipe
 * @param options.maxRead number of claims to read. Further assets count as if nothing had been done for them
 */
export async function withClaimedWork<A extends FoundAsset>(
  store: ClaimStore,
  stages: Stages,
  { assets, claimed }: { assets: readonly A[]; claimed?: FoundWork['claimed'] },
  { maxRead = Infinity, signal }: { maxRead?: number; signal?: AbortSignal } = {},
): Promise<A[]> {
  // A record of an earlier version or recipe does not show what a later run has done.
  const isUnfinished = ({ key, reason, moved }: A) =>
    reason === 'retry' ||
    (moved === undefined &&
      (reason === 'changed' || reason === 'recipe') &&
      claimed?.has(encodeKey(key)) === true);
  const unfinishedAssets = assets.filter(isUnfinished).slice(0, maxRead);
  const readClaim = async (asset: A) => [asset, await store.claims.read(asset.key)] as const;
  const claims = new Map(await mapBounded(unfinishedAssets, readClaim, { signal }));
  const knownRecipes: KnownRecipes =
    claims.size === 0 ? new Map() : await store.recipes.readKnown();
  return assets.map((asset) => {
    const claim = claims.get(asset) ?? null;
    const { source, platformIds = {}, reusableStages = [] } = asset;
    const isShared = source.id === undefined && store.idRules.isUploaded(platformIds);
    const isContinued = claim !== null && canReuseWork(claim.version, source.version);
    const finishedStages = isContinued
      ? findFinishedStages(store, claim, asset, { knownRecipes, stages })
      : isShared
        ? uploadOnly
        : [];
    const allStages = workStages.filter(
      (stage) => finishedStages.includes(stage) || reusableStages.includes(stage),
    );
    if (allStages.length === reusableStages.length) return asset;
    const { outputs } = claim?.platformIds ?? {};
    const isRendered = finishedStages.includes('render') && outputs !== undefined;
    return {
      ...asset,
      reusableStages: allStages,
      ...(isRendered ? { outputs: countOutputs(outputs) } : {}),
    };
  });
}

const uploadOnly: ReusableStages = ['source'];

function findFinishedStages(
  { idRules, context }: ClaimStore,
  { recipe: was, platformIds = {} }: Claim,
  { source }: FoundAsset,
  { knownRecipes, stages }: { knownRecipes: KnownRecipes; stages: Stages },
): ReusableStages {
  const current = { was, currentRecipe: context.recipe, stages };
  const reusableStages = computeReusableStages(knownRecipes, current, source);
  const completedStages = idRules.completedStages(platformIds, reusableStages);
  if (completedStages.length > 0 || !reusableStages.includes('source')) return completedStages;
  return idRules.isUploaded(platformIds) ? uploadOnly : [];
}

/** Counts the pictures and videos of a finished render. */
export function countOutputs(outputs: readonly OutputRef[]): NonNullable<FoundAsset['outputs']> {
  const videos = outputs.filter((output) => findOutputKind(output) === 'video').length;
  return { pictures: outputs.length - videos, videos };
}
