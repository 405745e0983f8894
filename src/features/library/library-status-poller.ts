import type { CallOptions, Client } from '../../api/client.ts';
import { nullIfNotFound } from '../../engine/null-if-not-found.ts';
import { mapItemsById } from '../../engine/polling/map-items-by-id.ts';
import { readEach, readEachPage } from '../../engine/polling/read-each.ts';
import { shareStatusPoller } from '../../engine/polling/status-poller.ts';
import { chunks } from '../../plan/helpers/chunks.ts';
import { type LibraryKind, libraryKinds } from './library-kinds.ts';

export interface WatchedItem {
  kind: LibraryKind;
  id: string;
}

/** Status of an item. Null if the item is not in the workspace. */
export type ItemPollResult = { status: string; error?: string } | null;

const idsPerRequest = 100;
/** Maximum number of unreported materials that are read individually per page of ids. */
const maxSingleReads = 10;
/** Materials take one to two minutes, so imports need no faster polling. */
const minIntervalMs = 5_000;

export const watchedItemIdOf = ({ kind, id }: WatchedItem) => `${kind}/${id}`;

/** True if the item is ready or failed. The case is ignored, because only the statuses of materials are lower case. */
export function isItemFinished(result: ItemPollResult): boolean {
  return result !== null && /^(ready|failed)$/i.test(result.status);
}

/** True once the item shows that its files were uploaded and confirmed. A material shows this only when it is ready. */
export function hasUploadArrived(
  kind: LibraryKind,
  { status }: NonNullable<ItemPollResult>,
): boolean {
  return kind === 'material' ? /^ready$/i.test(status) : !/^(pending|uploading)$/i.test(status);
}

/** Returns results by `watchedItemIdOf`, null for missing items. Omits items that the responses do not mention. */
export function pollItems(
  client: Client,
  items: readonly WatchedItem[],
  options: CallOptions,
): Promise<Map<string, ItemPollResult>> {
  const pages = libraryKinds.flatMap((kind) => {
    const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
    return chunks(ids, idsPerRequest).map((page) => ({ kind, ids: page }));
  });
  return readEachPage(pages, async ({ kind, ids }) => {
    const results = new Map<string, ItemPollResult>();
    const { reported, missing } = await readStatuses[kind](client, ids, options);
    for (const id of missing) results.set(watchedItemIdOf({ kind, id }), null);
    for (const [id, { status, error }] of mapItemsById(ids, reported, (item) => item.id)) {
      results.set(watchedItemIdOf({ kind, id }), { status, ...(error ? { error } : {}) });
    }
    return results;
  });
}

interface StatusResponse {
  reported: { id: string; status: string; error?: string | null | undefined }[];
  /** Ids that are not in the workspace. */
  missing: readonly string[];
}

type ReadStatuses = (
  client: Client,
  ids: string[],
  options: CallOptions,
) => Promise<StatusResponse>;

const readStatuses: Readonly<Record<LibraryKind, ReadStatuses>> = {
  async prop(client, propIds, options) {
    const response = await client.checkPropStatus({ body: { propIds } }, options);
    const statuses = response.props.map(({ propId: id, status }) => ({ id, status }));
    return { reported: statuses, missing: findMissingIds(propIds, response.notFound) };
  },
  async decal(client, decalIds, options) {
    const response = await client.checkDecalStatus({ body: { decalIds } }, options);
    const statuses = response.decals.map(({ decalId: id, status }) => ({ id, status }));
    return { reported: statuses, missing: findMissingIds(decalIds, response.notFound) };
  },
  async material(client, materialIds, options) {
    const { materials } = await client.checkMaterialStatus({ body: { materialIds } }, options);
    const statuses = materials.map(({ materialId: id, ...fields }) => ({ id, ...fields }));
    const missing = await findMissingMaterials(client, materialIds, statuses, options);
    return { reported: statuses, missing };
  },
};

function findMissingIds(
  requestedIds: readonly string[],
  notFound: readonly string[] = [],
): string[] {
  return [...mapItemsById(requestedIds, notFound, (id) => id).keys()];
}

/** The status response of materials leaves out missing ones, so the first unreported ones are read individually. */
async function findMissingMaterials(
  client: Client,
  requestedIds: readonly string[],
  statuses: StatusResponse['reported'],
  options: CallOptions,
): Promise<string[]> {
  const reportedIds = new Set(statuses.map(({ id }) => id));
  const unreportedIds = requestedIds.filter((id) => !reportedIds.has(id)).slice(0, maxSingleReads);
  const materialById = await readEach(unreportedIds, (materialId) =>
    nullIfNotFound(() => client.getMaterial({ params: { materialId } }, options)),
  );
  return [...materialById].flatMap(([id, material]) => (material === null ? [id] : []));
}

/** Results are keyed by `watchedItemIdOf`. */
export const libraryStatusPoller = shareStatusPoller<WatchedItem, ItemPollResult>(({ client }) => ({
  name: 'library',
  idOf: watchedItemIdOf,
  isFinished: isItemFinished,
  pageSize: idsPerRequest,
  minIntervalMs: () => minIntervalMs,
  read: (items, { options }) => pollItems(client, items, options),
}));
