// What a creating call has made whose file never came, or never will: it would stay PENDING for ever.
import type { NodeContext } from '../../nodes/node-context.ts';
import type { PlatformThing } from '../../plan/contract.ts';
import type { Refs } from '../../plan/types.ts';
import type { Intent } from '../../store/intents.ts';
import { idFields } from '../../store/platform-things.ts';
import { removeThing } from '../orphans/remove-thing.ts';

type Kind = PlatformThing['kind'];

/** Renewals of dead links before an upload is given up. */
export const renewalsAtMost = 3;

/** Links live an hour and a key replays the dead ones, so late uploads need new records (trap 1). */
export async function abandonMade(
  kind: Kind,
  intent: Intent,
  made: readonly (Refs | undefined)[],
  context: NodeContext,
): Promise<void> {
  await context.store.intents(context.shard, context.step.id).abandon(intent.key);
  for (const refs of made) await removeMade(kind, refs, context);
}

export async function removeMade(
  kind: Kind,
  refs: Refs | undefined,
  { client, requests, signal }: NodeContext,
): Promise<void> {
  const id = refs?.[idFields[kind]];
  if (id === undefined) return;
  await removeThing(client, { kind, id }, { priority: 'create', scope: requests, signal });
}
