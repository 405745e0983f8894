// State of library items for every wait of a worker: 100 ids of a kind a request.
import type { Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { mapBounded } from '../../store/bounded.ts';
import type { LibraryKind } from './library-kinds.ts';

export interface WatchedItem {
  kind: LibraryKind;
  id: string;
}

/** null: it is not in the workspace. */
export type ItemLook = { status: string; error?: string } | null;

const idsPerRequest = 100;
/** Materials take one to two minutes (3.4), and nobody waits for an import by the second. */
const shortestGapMs = 5_000;

export const watchedItemId = ({ kind, id }: WatchedItem) => `${kind}/${id}`;

/** Props and decals are READY or FAILED, materials ready or failed. */
export function isItemOver(look: ItemLook): boolean {
  return look === null || /^(ready|failed)$/i.test(look.status);
}

/** Whether its file was sent and confirmed. Of a material only its end tells: it is `processing` before, too. */
export function hasArrived(kind: LibraryKind, { status }: NonNullable<ItemLook>): boolean {
  return kind === 'material' ? /^ready$/i.test(status) : !/^(pending|uploading)$/i.test(status);
}

export function libraryRequests(items: number): number {
  return Math.ceil(items / idsPerRequest);
}

/** `budgetGapMs`: what the allowance asks for. */
export function libraryGapMs(budgetGapMs: number): number {
  return Math.max(shortestGapMs, budgetGapMs);
}

/** By `watchedItemId`. */
export async function lookAtItems(
  client: Client,
  items: readonly WatchedItem[],
  requests: RequestCounter,
): Promise<Map<string, ItemLook>> {
  const looks = new Map<string, ItemLook>();
  const pages = (['prop', 'decal', 'material'] as const).flatMap((kind) => pagesOf(kind, items));
  await mapBounded(pages, async ({ kind, ids }) => {
    // What an answer leaves out is not in the workspace: materials have no list of those.
    for (const id of ids) looks.set(watchedItemId({ kind, id }), null);
    for (const [id, look] of await statusOf(kind, ids, client, requests)) {
      looks.set(watchedItemId({ kind, id }), look);
    }
  });
  return looks;
}

function pagesOf(kind: LibraryKind, items: readonly WatchedItem[]) {
  const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
  return Array.from({ length: libraryRequests(ids.length) }, (_, page) => ({
    kind,
    ids: ids.slice(page * idsPerRequest, (page + 1) * idsPerRequest),
  }));
}

async function statusOf(
  kind: LibraryKind,
  ids: string[],
  client: Client,
  scope: RequestCounter,
): Promise<[string, ItemLook][]> {
  const options = { priority: 'status' as const, scope };
  if (kind === 'prop') {
    const { props } = await client.checkPropStatus({ body: { propIds: ids } }, options);
    return props.map(({ propId, status }) => [propId, { status }]);
  }
  if (kind === 'decal') {
    const { decals } = await client.checkDecalStatus({ body: { decalIds: ids } }, options);
    return decals.map(({ decalId, status }) => [decalId, { status }]);
  }
  const { materials } = await client.checkMaterialStatus({ body: { materialIds: ids } }, options);
  return materials.map(({ materialId, status, error }) => [
    materialId,
    { status, ...(error ? { error } : {}) },
  ]);
}
