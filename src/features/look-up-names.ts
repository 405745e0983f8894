// Looks up on the platform the names that a plan uses, before anything is created.

import { collectCauses } from '../engine/collect-causes.ts';
import type { NameLookUpDeps } from '../engine/discovery/name-look-up-deps.ts';
import { parseOptions } from '../engine/parse-options.ts';
import type { NameLookup } from '../plan/types.ts';
import { findStepType } from './index.ts';

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
