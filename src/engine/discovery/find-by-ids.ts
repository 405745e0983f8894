// Finds platform objects by id with few requests. Reads pages of their list while this needs fewer requests than
// reading the remaining objects one by one.
import { ResponseShapeError } from '../../api/errors/errors.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';
import { toCanonicalId } from '../../store/search/id-spelling.ts';
import { nullIfNotFound } from '../null-if-not-found.ts';
import { readOrUnreadable } from '../unreadable-response.ts';
import { readWithRetry } from './read-with-retry.ts';

export interface IdSource<Item> {
  idOf(item: Item): string;
  /** Reads one page of the list, which is sorted newest first. */
  readPage(pageWindow: { limit: number; offset: number }): Promise<Page<Item>>;
  /** Returns one object. If it does not exist, returns null or fails with the platform's 404. */
  readOne(id: string): Promise<Item | null>;
}

interface Page<Item> {
  items: readonly Item[];
  total?: number | undefined;
}

export interface IdLookupResult<Item> {
  /** The objects found, in the order of the ids. */
  items: Item[];
  /** Ids that do not exist in the workspace. */
  missingIds: string[];
  /** Ids for which the response is unreadable, each with the reason. */
  unreadable: { id: string; message: string }[];
}

const pageSize = 100;

export async function findByIds<Item>(
  ids: readonly string[],
  source: IdSource<Item>,
  signal: AbortSignal | undefined,
): Promise<IdLookupResult<Item>> {
  // Ids are compared in canonical form, because a GUID may be given in several spellings.
  const idsByCanonicalId = new Map(ids.map((id) => [toCanonicalId(id), id]));
  const itemsById = await findOnPages(idsByCanonicalId, source, signal);
  const unreadable: IdLookupResult<Item>['unreadable'] = [];
  const lookUp = async (id: string) => {
    const read = () => nullIfNotFound(() => readWithRetry(() => source.readOne(id), signal));
    const item = await readOrUnreadable(read);
    if (item instanceof ResponseShapeError) unreadable.push({ id, message: item.message });
    else if (item !== null && toCanonicalId(source.idOf(item)) !== toCanonicalId(id)) {
      const message = `the platform returned ${source.idOf(item)} instead of the requested ${id}`;
      unreadable.push({ id, message });
    } else if (item !== null) itemsById.set(toCanonicalId(id), item);
  };
  const findMissing = () =>
    [...idsByCanonicalId].flatMap(([canonical, id]) => (itemsById.has(canonical) ? [] : id));
  await mapBounded(findMissing(), lookUp, { signal });
  const unreadableIds = new Set(unreadable.map(({ id }) => id));
  return {
    items: [...idsByCanonicalId.keys()].flatMap((canonical) => itemsById.get(canonical) ?? []),
    missingIds: findMissing().filter((id) => !unreadableIds.has(id)),
    unreadable,
  };
}

/** Searches pages of the list while there are fewer pages than remaining objects. */
async function findOnPages<Item>(
  idsByCanonicalId: ReadonlyMap<string, string>,
  source: IdSource<Item>,
  signal: AbortSignal | undefined,
): Promise<Map<string, Item>> {
  const itemsById = new Map<string, Item>();
  // The first page shows the number of pages. Objects that move to other pages in the meantime are read one by one.
  let pages = 1;
  for (
    let page = 0;
    page < pages && pages - page < idsByCanonicalId.size - itemsById.size;
    page += 1
  ) {
    const pageWindow = { limit: pageSize, offset: page * pageSize };
    const response = await readOrUnreadable(() =>
      readWithRetry(() => source.readPage(pageWindow), signal),
    );
    if (response instanceof ResponseShapeError || response.items.length === 0) break;
    for (const item of response.items) {
      const canonical = toCanonicalId(source.idOf(item));
      if (idsByCanonicalId.has(canonical)) itemsById.set(canonical, item);
    }
    if (page === 0) pages = Math.ceil((response.total ?? 0) / pageSize);
  }
  return itemsById;
}
