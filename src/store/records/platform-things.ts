// Things of the platform that an asset can have and that can be deleted: render jobs and batches, colorways and
// production files are none, since no operation deletes one. Pure.
import type { PlatformThing } from '../../plan/contract.ts';
import type { AssetSource, Refs } from '../../plan/types.ts';

/** Where the id of a thing stands among an asset's refs. */
export const idFields = {
  project: 'projectId',
  model: 'modelId',
  prop: 'propId',
  decal: 'decalId',
  material: 'materialId',
} as const satisfies Record<PlatformThing['kind'], keyof Refs>;

/** In the order in which they can go: no project ever stands without its model. */
export const thingKinds = Object.keys(idFields) as readonly PlatformThing['kind'][];

/** What an asset has. What its root took may be of any kind: only the id is kept of it. */
export function thingsOf({
  source,
  refs = {},
}: {
  source?: AssetSource;
  refs?: Refs;
}): PlatformThing[] {
  return thingKinds.flatMap((kind) =>
    [refs[idFields[kind]], source?.id].flatMap((id) => (id === undefined ? [] : [{ kind, id }])),
  );
}

/** Text that is the same for the same thing. */
export function thingId({ kind, id }: PlatformThing): string {
  return `${kind} ${id}`;
}
