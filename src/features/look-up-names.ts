// Looks up on the platform the names that a plan uses, before anything is created.

import { collectCauses } from '../engine/collect-causes.ts';
import { type FoundAsset, finishedStagesOf } from '../engine/cost/found-work.ts';
import type { NameLookUpDeps } from '../engine/discovery/name-look-up-deps.ts';
import { parseOptions } from '../engine/parse-options.ts';
import type { NameLookup, Plan, Stage } from '../plan/types.ts';
import { findDimension } from './grid/dimensions.ts';
import { findStepType } from './index.ts';

/**
 * Collects the lookups for names in the pipeline file and for names that only the cells contain. Leaves out the names
 * that only finished stages of the assets use, so that files are renamed without a request.
 */
export function collectLookUps(
  { grid = [], lookUps = [] }: Pick<Plan['discovery'], 'grid' | 'lookUps'>,
  assets: readonly Pick<FoundAsset, 'source' | 'reason' | 'reusableStages'>[],
): NameLookup[] {
  const isOpen = (stage: Stage | undefined) => (asset: (typeof assets)[number]) =>
    !finishedStagesOf(asset).some((finishedStage) => finishedStage === stage);
  const openLookUps = lookUps.filter(
    ({ activity }) => assets.length === 0 || assets.some(isOpen(findStepType(activity)?.stage)),
  );
  // Names in positions, such as materials, are used only for the composition.
  const openCells = assets.filter(isOpen('composition'));
  const ofCells = grid.flatMap(({ name, node, spec }) => {
    const dimension = findDimension(name);
    const allPositions = openCells.flatMap(({ source }) => source.cell?.positions ?? []);
    const positions = allPositions.filter((position) => position.dimension === name);
    if (positions.length === 0) return [];
    const nameLookUps = dimension.lookupsOf?.(dimension.spec.parse(spec), positions) ?? [];
    return nameLookUps.map((lookUp) => ({ node, ...lookUp }));
  });
  return [...openLookUps, ...ofCells];
}

/** @throws RunCauseError that lists all names that do not exist or are ambiguous */
export async function lookUpNames(
  lookUps: readonly NameLookup[],
  context: NameLookUpDeps,
): Promise<void> {
  await collectCauses(lookUps, async ({ activity, config }) => {
    const type = findStepType(activity);
    await type?.lookUp?.(parseOptions(type, config), context);
  });
}
