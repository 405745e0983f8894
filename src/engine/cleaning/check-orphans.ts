// Checks which orphans still exist on the platform, and which of them are in use.
import type { Client } from '../../api/client.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import type { CheckedOrphans, CleanCall, Cleaner } from '../feature.ts';

/** Returns the orphans that still exist, in the order of `orphans`, and the models that are in use. */
export async function checkOrphans(
  client: Client,
  orphans: readonly Orphan[],
  cleaners: readonly Cleaner[],
  call: CleanCall,
): Promise<CheckedOrphans> {
  const checks: CheckedOrphans[] = [];
  for (const cleaner of cleaners) {
    const ofKinds = orphans.filter(({ kind }) => cleaner.kinds.includes(kind));
    if (ofKinds.length > 0) checks.push(await cleaner.check(client, ofKinds, call));
  }
  const existingOrphans = new Set(checks.flatMap((check) => check.existing));
  return {
    existing: orphans.filter((orphan) => existingOrphans.has(orphan)),
    inUse: checks.flatMap(({ inUse }) => inUse),
  };
}
