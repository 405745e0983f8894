// Reads the upload status of library items that an earlier attempt created.
import type { NodeContext } from '../../machinery/node-context.ts';
import type { Standing } from '../../machinery/uploads/fill-group.ts';
import { hasArrived, type ItemLook, lookAtItems, watchedItemId } from './library-board.ts';
import type { LibraryKind } from './library-kinds.ts';

/** Statuses by id. Items that are not in the workspace are left out. */
export async function itemStandings(
  kind: LibraryKind,
  ids: readonly string[],
  { client, requests }: NodeContext,
): Promise<Map<string, Standing>> {
  const items = ids.map((id) => ({ kind, id }));
  const looks = await lookAtItems(client, items, requests);
  const standings = new Map<string, Standing>();
  for (const item of items) {
    const look = looks.get(watchedItemId(item));
    if (look) standings.set(item.id, standingOf(kind, look));
  }
  return standings;
}

function standingOf(kind: LibraryKind, look: NonNullable<ItemLook>): Standing {
  if (hasArrived(kind, look)) {
    return {
      is: 'up',
      refs: kind === 'decal' && look.status === 'READY' ? { itemReady: true } : {},
    };
  }
  // No list shows whether a failed material exists, so it counts as missing.
  return { is: kind === 'material' && /^failed$/i.test(look.status) ? 'gone' : 'open' };
}
