// Checks which orphans still exist on the platform, and which of them are in use.
import type { Client } from '../../api/client.ts';
import type { Orphan } from '../../store/search/find-orphans.ts';
import type { CleanCall, Cleaner, LookedAtOrphans } from '../capability.ts';

/** The results are in the order of `orphans`. */
export async function lookAtOrphans(
  client: Client,
  orphans: readonly Orphan[],
  cleaners: readonly Cleaner[],
  call: CleanCall,
): Promise<LookedAtOrphans> {
  const looks: LookedAtOrphans[] = [];
  for (const cleaner of cleaners) {
    const ofKinds = orphans.filter(({ kind }) => cleaner.kinds.includes(kind));
    if (ofKinds.length > 0) looks.push(await cleaner.look(client, ofKinds, call));
  }
  const there = new Set(looks.flatMap((look) => look.there));
  return {
    there: orphans.filter((orphan) => there.has(orphan)),
    held: looks.flatMap(({ held }) => held),
  };
}
