// Model records whose file never came, or never will: they would stay PENDING for ever.
import type { NodeContext } from '../nodes/node-context.ts';
import type { Refs } from '../plan/types.ts';
import type { Intent } from '../store/intents.ts';
import { removeThing } from './remove-thing.ts';

/** Links live an hour and a key replays the dead ones, so late uploads need new records (trap 1). */
export async function abandonModels(
  intent: Intent,
  refs: readonly (Refs | undefined)[],
  context: NodeContext,
): Promise<void> {
  await context.store.intents(context.shard, context.step.id).abandon(intent.key);
  await removeModels(refs, context);
}

export async function removeModels(
  refs: readonly (Refs | undefined)[],
  { client, requests, signal }: NodeContext,
): Promise<void> {
  const options = { priority: 'create' as const, scope: requests, signal };
  for (const id of refs.flatMap((one) => one?.modelId ?? [])) {
    await removeThing(client, { kind: 'model', id }, options);
  }
}
