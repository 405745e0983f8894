// Library items between two attempts: what has come to the platform is not sent again, and records whose file
// never came do not stay.
import type { NodeContext } from '../nodes/node-context.ts';
import type { Asset, AssetResult, Refs } from '../plan/types.ts';
import type { Intent } from '../store/intents.ts';
import type { Answers } from './answers.ts';
import { hasArrived, lookAtItems, watchedItemId } from './library-board.ts';
import { itemIdFields, type LibraryKind } from './library-kinds.ts';
import { removeThing } from './remove-thing.ts';

/** Results of the assets whose item an earlier attempt has made, filled and confirmed. */
export async function alreadyUp(
  kind: LibraryKind,
  assets: readonly Asset[],
  refs: Answers,
  { client, requests }: NodeContext,
): Promise<AssetResult[]> {
  const made = assets.flatMap(({ key }) => {
    const id = refs[key]?.[itemIdFields[kind]];
    return id === undefined ? [] : [{ key, item: { kind, id } }];
  });
  const items = made.map(({ item }) => item);
  const looks = await lookAtItems(client, items, requests);
  return made.flatMap(({ key, item }): AssetResult[] => {
    const look = looks.get(watchedItemId(item));
    if (!look || !hasArrived(kind, look)) return [];
    const ready = kind === 'decal' && look.status === 'READY' ? { itemReady: true } : {};
    return [{ key, outcome: 'done', refs: { ...refs[key], ...ready } }];
  });
}

/** Links live an hour and a key replays the dead ones, so late uploads need new records (trap 1). */
export async function abandonItems(
  kind: LibraryKind,
  intent: Intent,
  refs: readonly (Refs | undefined)[],
  context: NodeContext,
): Promise<void> {
  await context.store.intents(context.shard, context.step.id).abandon(intent.key);
  for (const item of refs) await removeItem(kind, item, context);
}

export async function removeItem(
  kind: LibraryKind,
  refs: Refs | undefined,
  { client, requests, signal }: NodeContext,
): Promise<void> {
  const id = refs?.[itemIdFields[kind]];
  if (id === undefined) return;
  await removeThing(client, { kind, id }, { priority: 'create', scope: requests, signal });
}
