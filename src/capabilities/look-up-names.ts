// Looks up the names that a plan uses on the platform, before anything is made.
import type { NameContext } from '../machinery/discovery/name-context.ts';
import type { LookUp } from '../plan/types.ts';
import { stepTypes } from './index.ts';

/** @throws RunCauseError for the first name that is not there, or that several bear. */
export async function lookUpNames(lookUps: readonly LookUp[], context: NameContext): Promise<void> {
  for (const { activity, config } of lookUps) {
    const type = stepTypes.find((known) => known.type === activity);
    await type?.lookUp?.(type.config.parse(config), context);
  }
}
