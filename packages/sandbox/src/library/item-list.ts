// List pages and status responses of props and decals.
import type { LibraryStatus } from 'renderline/api/operations/library';
import { listNewestFirst, type Table } from '../state/table.ts';

interface Item {
  readonly id: string;
  readonly name: string;
  readonly collectionId?: string;
}

interface ListQuery {
  readonly limit: number;
  readonly offset: number;
  readonly status?: string | undefined;
  readonly name?: string | undefined;
  readonly collectionId?: string | undefined;
}

/** Returns the requested page, newest first, and the total number of matches. */
export function filterPage<R extends Item>(
  items: readonly R[],
  query: ListQuery,
  statusOf: (item: R) => string,
): { page: R[]; total: number } {
  const { limit, offset, status, collectionId } = query;
  const part = query.name?.toLowerCase();
  const matches = items.filter(
    (item) =>
      (status === undefined || statusOf(item) === status) &&
      (part === undefined || item.name.toLowerCase().includes(part)) &&
      (collectionId === undefined || item.collectionId === collectionId),
  );
  return { page: listNewestFirst(matches, limit, offset), total: matches.length };
}

/** Creates the answer to a status request of props or decals. */
export function createStatusReport<R extends Item>(
  ids: readonly string[],
  table: Table<R>,
  statusOf: (item: R) => LibraryStatus,
) {
  const { found, notFound } = findAll(ids, (id) => table.get(id));
  const items = found.map((item) => {
    const status = statusOf(item);
    return { id: item.id, name: item.name, status, ready: status === 'READY' };
  });
  return { items, allReady: notFound.length === 0 && items.every(({ ready }) => ready), notFound };
}

/** Returns the items of a status request in the requested order, without duplicates. */
export function findAll<R>(
  ids: readonly string[],
  get: (id: string) => R | undefined,
): { found: R[]; notFound: string[] } {
  const uniqueIds = [...new Set(ids)];
  return {
    found: uniqueIds.flatMap((id) => get(id) ?? []),
    notFound: uniqueIds.filter((id) => get(id) === undefined),
  };
}
