// Reads the upload status of library items that an earlier attempt created.
import type { NodeContext } from '../../engine/node-context.ts';
import type { UploadStatus } from '../../engine/uploads/fill-group.ts';
import type { LibraryKind } from './library-kinds.ts';
import {
  hasUploadArrived,
  type ItemPollResult,
  pollItems,
  watchedItemId,
} from './library-status-poller.ts';

/** Statuses by id. Items that are not in the workspace are left out. */
export async function readItemUploadStatus(
  kind: LibraryKind,
  ids: readonly string[],
  { client, requests }: NodeContext,
): Promise<Map<string, UploadStatus>> {
  const items = ids.map((id) => ({ kind, id }));
  const results = await pollItems(client, items, { priority: 'status', scope: requests });
  const statuses = new Map<string, UploadStatus>();
  for (const item of items) {
    const result = results.get(watchedItemId(item));
    if (result) statuses.set(item.id, toUploadStatus(kind, result));
  }
  return statuses;
}

function toUploadStatus(kind: LibraryKind, result: NonNullable<ItemPollResult>): UploadStatus {
  if (hasUploadArrived(kind, result)) {
    return {
      is: 'up',
      platformIds: kind === 'decal' && result.status === 'READY' ? { itemReady: true } : {},
    };
  }
  // No list shows whether a failed material exists, so it counts as missing.
  return { is: kind === 'material' && /^failed$/i.test(result.status) ? 'missing' : 'open' };
}
