// Looks up on the platform the names that a plan uses, before anything is created.
import type { NameContext } from '../machinery/discovery/name-context.ts';
import { gatherCauses } from '../machinery/gather-causes.ts';
import { optionsOf } from '../machinery/options-of.ts';
import type { LookUp } from '../plan/types.ts';
import { stepTypes } from './index.ts';

/** @throws RunCauseError that lists all names that do not exist or are ambiguous */
export async function lookUpNames(lookUps: readonly LookUp[], context: NameContext): Promise<void> {
  await gatherCauses(lookUps, async ({ activity, config }) => {
    const type = stepTypes.find((known) => known.type === activity);
    await type?.lookUp?.(optionsOf(type, config), context);
  });
}
