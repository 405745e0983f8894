// Library items that have come to the platform in an earlier attempt are not sent again.
import type { NodeContext } from '../../nodes/node-context.ts';
import type { Asset, AssetResult } from '../../plan/types.ts';
import { idFields } from '../../store/platform-things.ts';
import type { Answers } from '../submit/answers.ts';
import { hasArrived, lookAtItems, watchedItemId } from './library-board.ts';
import type { LibraryKind } from './library-kinds.ts';

/** Results of the assets whose item an earlier attempt has made, filled and confirmed. */
export async function alreadyUp(
  kind: LibraryKind,
  assets: readonly Asset[],
  refs: Answers,
  { client, requests }: NodeContext,
): Promise<AssetResult[]> {
  const made = assets.flatMap(({ key }) => {
    const id = refs[key]?.[idFields[kind]];
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
