// Polls library items for all waits of a worker, up to 100 ids of a kind per request.

import type { CallOptions, Client } from '../../api/client.ts';
import type { RequestCounter } from '../../api/counter.ts';
import { nullWhenGone } from '../../machinery/null-when-gone.ts';
import { shared } from '../../machinery/watch/lookout.ts';
import { readEach } from '../../machinery/watch/read-each.ts';
import { TickWatch } from '../../machinery/watch/tick-watch.ts';
import { lookGapMs } from '../../machinery/watch/ticks.ts';
import { toldOf } from '../../machinery/watch/told-of.ts';
import { type LibraryKind, libraryKinds } from './library-kinds.ts';

export interface WatchedItem {
  kind: LibraryKind;
  id: string;
}

/** null: the item is not in the workspace. */
export type ItemLook = { status: string; error?: string } | null;

const idsPerRequest = 100;
/** Number of unreported items that one poll reads individually. */
const doubtsAtMost = 10;
/** Materials take one to two minutes, so imports need no faster polling. */
const shortestGapMs = 5_000;

export const watchedItemId = ({ kind, id }: WatchedItem) => `${kind}/${id}`;

/** The statuses of props and decals are upper case, those of materials lower case. */
export function isItemOver(look: ItemLook): boolean {
  return look !== null && /^(ready|failed)$/i.test(look.status);
}

/** True once the item's files were uploaded and confirmed. A material shows this only when it is ready: it is `processing` before. */
export function hasArrived(kind: LibraryKind, { status }: NonNullable<ItemLook>): boolean {
  return kind === 'material' ? /^ready$/i.test(status) : !/^(pending|uploading)$/i.test(status);
}

export function libraryRequests(items: number): number {
  return Math.ceil(items / idsPerRequest);
}

/** @param budgetGapMs interval that the request allowance demands */
export function libraryGapMs(budgetGapMs: number): number {
  return Math.max(shortestGapMs, budgetGapMs);
}

/** Results by `watchedItemId`. Items that the responses do not mention are left out. */
export async function lookAtItems(
  client: Client,
  items: readonly WatchedItem[],
  scope: RequestCounter,
): Promise<Map<string, ItemLook>> {
  const pages = libraryKinds.flatMap((kind) => pagesOf(kind, items));
  const looks = new Map<string, ItemLook>();
  const read = ({ kind, ids }: Page) => statusOf[kind](client, ids, { priority: 'status', scope });
  for (const [{ kind, ids }, { told, gone }] of await readEach(pages, read)) {
    for (const id of gone) looks.set(watchedItemId({ kind, id }), null);
    for (const [id, { status, error }] of toldOf(ids, told, (one) => one.id)) {
      looks.set(watchedItemId({ kind, id }), { status, ...(error ? { error } : {}) });
    }
  }
  return looks;
}

interface Page {
  kind: LibraryKind;
  ids: string[];
}

function pagesOf(kind: LibraryKind, items: readonly WatchedItem[]): Page[] {
  const ids = items.filter((item) => item.kind === kind).map(({ id }) => id);
  return Array.from({ length: libraryRequests(ids.length) }, (_, page) => ({
    kind,
    ids: ids.slice(page * idsPerRequest, (page + 1) * idsPerRequest),
  }));
}

interface Answered {
  told: { id: string; status: string; error?: string | null | undefined }[];
  /** Ids that are not in the workspace. */
  gone: readonly string[];
}

type Ask = (client: Client, ids: string[], options: CallOptions) => Promise<Answered>;

const statusOf: Readonly<Record<LibraryKind, Ask>> = {
  async prop(client, propIds, options) {
    const answer = await client.checkPropStatus({ body: { propIds } }, options);
    const told = answer.props.map(({ propId: id, status }) => ({ id, status }));
    return { told, gone: gone(propIds, answer.notFound) };
  },
  async decal(client, decalIds, options) {
    const answer = await client.checkDecalStatus({ body: { decalIds } }, options);
    const told = answer.decals.map(({ decalId: id, status }) => ({ id, status }));
    return { told, gone: gone(decalIds, answer.notFound) };
  },
  async material(client, materialIds, options) {
    const { materials } = await client.checkMaterialStatus({ body: { materialIds } }, options);
    const told = materials.map(({ materialId: id, ...rest }) => ({ id, ...rest }));
    return { told, gone: await missingMaterials(client, materialIds, told, options) };
  },
};

function gone(asked: readonly string[], notFound: readonly string[] = []): string[] {
  return [...toldOf(asked, notFound, (id) => id).keys()];
}

/** The status response of materials does not list missing ones, so materials that it leaves out are read individually. */
async function missingMaterials(
  client: Client,
  asked: readonly string[],
  told: Answered['told'],
  options: CallOptions,
): Promise<string[]> {
  const known = new Set(told.map(({ id }) => id));
  const doubtful = asked.filter((id) => !known.has(id)).slice(0, doubtsAtMost);
  const found = await readEach(doubtful, (materialId) =>
    nullWhenGone(() => client.getMaterial({ params: { materialId } }, options)),
  );
  return [...found].flatMap(([id, material]) => (material === null ? [id] : []));
}

/** Results are keyed by `watchedItemId`. */
export const libraryLooks = shared(
  ({ client, late, now }) =>
    new TickWatch<WatchedItem, ItemLook>({
      name: 'library',
      idOf: watchedItemId,
      look: (items, requests) => lookAtItems(client, items, requests),
      isOver: isItemOver,
      late,
      gapMs: (open) => libraryGapMs(lookGapMs(client.pace, libraryRequests(open))),
      now,
    }),
);
