// Calls that create Pantone materials. After a lost response, a new material with the same name counts as ours.
import type { NodeContext } from '../../engine/node-context.ts';
import { type CallOutcome, toCallOutcome } from '../../engine/submit/call-outcome.ts';
import { assignIds, defineCreation, type ParsedCall } from '../../engine/submit/creation.ts';
import { listCreatedSince } from '../../engine/submit/list-created-since.ts';
import type { Intent } from '../../store/calls/intents.ts';

export const pantoneMaterialCreation = defineCreation({
  operation: 'createPantoneMaterial',
  readIds: ({ assets }, { id }) => assignIds(assets, () => ({ materialId: id })),
  findOutcome: findCreatedMaterial,
});

async function findCreatedMaterial(
  sentCall: ParsedCall<'createPantoneMaterial', Intent>,
  context: NodeContext,
): Promise<CallOutcome> {
  const { name } = sentCall.body;
  const materials = await listCreatedSince(
    {
      operation: 'listMaterials',
      isNewestFirst: true,
      read: (query, options) => context.client.callWithMeta('listMaterials', { query }, options),
    },
    sentCall,
    context,
  );
  if (materials === null) return { state: 'unknown' };
  // The list is newest first. If several materials match, the oldest is from the first attempt.
  const material = materials.findLast((candidate) => candidate.name === name);
  return toCallOutcome(
    material === undefined
      ? {}
      : assignIds(sentCall.assets, () => ({ materialId: material.materialId })),
  );
}
