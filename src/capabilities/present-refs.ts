// What the platform still has of the things that an asset's refs name.
import type { CallOptions, Client } from '../api/client.ts';
import { nullWhenGone } from '../machinery/null-when-gone.ts';
import { orUnreadable } from '../machinery/unreadable.ts';
import type { Refs } from '../plan/refs.ts';
import type { Asset } from '../plan/types.ts';
import { withoutForgotten } from '../store/runs/asset-sheets.ts';
import { capabilities } from './index.ts';

/** How the platform is asked what it has. */
export interface Looks {
  client: Client;
  options: CallOptions;
}

const reads = capabilities.flatMap((capability) => capability.reads ?? []);

type Reading = (typeof reads)[number];

/** A render that is there shows that its project is. */
const shownBy: { [Field in keyof Refs]?: keyof Refs } = { projectId: 'jobId' };

/** The refs without what is gone, by a request or two. */
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

/** Reads of what is looked for, the innermost first; models are looked at many at once (`withoutLost`). */
export function readsOf({ refs, source: { id } }: Pick<Asset, 'refs' | 'source'>): Reading[] {
  // The project of a render that the run was to take was there before it.
  if (id !== undefined && id !== refs.modelId && id !== refs.projectId) return [];
  const made = reads.filter(
    ([field, , forget]) => forget !== undefined && refs[field] !== undefined && refs[field] !== id,
  );
  return made.reverse();
}

/** True where what an earlier run has missed shows by now. */
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
  // An answer that cannot be read is one about something.
  return (await orUnreadable(() => nullWhenGone(() => read(client, refs, options)))) !== null;
}
