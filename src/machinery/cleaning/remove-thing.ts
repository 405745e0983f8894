// Deletes one thing of the platform, for good.
import type { CallOptions, Client } from '../../api/client.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import { nullWhenGone } from '../null-when-gone.ts';

/** Gone already is as good as deleted. */
export async function removeThing(
  client: Client,
  { kind, id }: PlatformThing,
  options: CallOptions,
): Promise<void> {
  await nullWhenGone(() => removals[kind](client, id, options));
}

type Removal = (client: Client, id: string, options: CallOptions) => Promise<unknown>;

const removals: Readonly<Record<PlatformThing['kind'], Removal>> = {
  project: (client, projectId, options) => client.deleteProject({ params: { projectId } }, options),
  model: (client, modelId, options) => client.deleteModel({ params: { modelId } }, options),
  prop: (client, propId, options) => client.deleteProp({ params: { propId } }, options),
  decal: (client, decalId, options) => client.deleteDecal({ params: { decalId } }, options),
  material: (client, materialId, options) =>
    client.deleteMaterial({ params: { materialId } }, options),
};
