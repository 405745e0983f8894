// Looks up the names that a plan uses on the platform, before anything is made.
import type { NameContext } from '../machinery/discovery/name-context.ts';
import { gatherCauses } from '../machinery/gather-causes.ts';
import { optionsOf } from '../machinery/options-of.ts';
import type { LookUp } from '../plan/types.ts';
import { stepTypes } from './index.ts';

/** @throws RunCauseError for all names that are not there, or that several bear. */
export async function lookUpNames(lookUps: readonly LookUp[], context: NameContext): Promise<void> {
  await gatherCauses(lookUps, async ({ activity, config }) => {
    const type = stepTypes.find((known) => known.type === activity);
    await type?.lookUp?.(optionsOf(type, config), context);
  });
}
