// Checks which of the resources that an asset's platform ids name still exist on the platform.
import type { CallOptions, Client } from '../api/client.ts';
import { nullWhenGone } from '../machinery/null-when-gone.ts';
import { orUnreadable } from '../machinery/unreadable.ts';
import type { Refs } from '../plan/refs.ts';
import type { Asset } from '../plan/types.ts';
import { withoutForgotten } from '../store/runs/asset-sheets.ts';
import { capabilities } from './index.ts';

/** What reading from the platform needs. */
export interface Looks {
  client: Client;
  options: CallOptions;
}

const reads = capabilities.flatMap((capability) => capability.reads ?? []);

type Reading = (typeof reads)[number];

/** An id (key) whose resource must exist if the resource of the other id (value) exists: a render job implies its project. */
const shownBy: { [Field in keyof Refs]?: keyof Refs } = { projectId: 'jobId' };

/** The platform ids without those of deleted resources. Takes one or two requests. */
export async function presentRefs(
  asset: Pick<Asset, 'refs' | 'source'>,
  looks: Looks,
): Promise<Refs> {
  const { refs } = asset;
  let standing = refs;
  for (const reading of readsOf(asset)) {
    const [field, , forget] = reading;
    const inner = shownBy[field];
    if (inner !== undefined && standing[inner] !== undefined) continue;
    if (await isThere(reading, refs, looks)) continue;
    const { stands: _stands, ...left } = withoutForgotten(standing, forget);
    standing = left;
  }
  return standing;
}

/** The reads to make for an asset, innermost resource first. Models are checked in batches elsewhere (`withoutLost`). */
export function readsOf({ refs, source: { id } }: Pick<Asset, 'refs' | 'source'>): Reading[] {
  // For an asset that was selected on the platform, the run did not create the other resources.
  if (id !== undefined && id !== refs.modelId && id !== refs.projectId) return [];
  const made = reads.filter(
    ([field, , forget]) => forget !== undefined && refs[field] !== undefined && refs[field] !== id,
  );
  return made.reverse();
}

/** True if a resource that an earlier run did not find exists now. */
export async function showsAgain(
  looks: Looks,
  refs: Refs,
  missing: readonly (keyof Refs)[],
): Promise<boolean> {
  const known = reads.find(([field]) => missing.includes(field) && refs[field] !== undefined);
  return known !== undefined && (await isThere(known, refs, looks));
}

async function isThere(
  [, read]: Reading,
  refs: Refs,
  { client, options }: Looks,
): Promise<boolean> {
  // A response that cannot be parsed still shows that the resource exists.
  return (await orUnreadable(() => nullWhenGone(() => read(client, refs, options)))) !== null;
}
