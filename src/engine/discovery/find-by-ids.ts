// Objects of the platform by their ids, in the fewest requests: pages of their list as long as those cost
// less than asking for each.
import { mapBounded } from '../../store/bounded.ts';
import { nullWhenGone } from '../null-when-gone.ts';
import { readPatiently } from './read-patiently.ts';

export interface IdSource<Item> {
  idOf(item: Item): string;
  /** One page of the list, newest first. */
  page(place: { limit: number; offset: number }): Promise<{ items: Item[]; total: number }>;
  /** One object; null, or the platform's 404, where it is not there. */
  one(id: string): Promise<Item | null>;
}

const pageSize = 100;

/** In the order of the ids; `missing` are those that are not in the workspace. */
export async function findByIds<Item>(
  ids: readonly string[],
  source: IdSource<Item>,
  signal: AbortSignal | undefined,
): Promise<{ items: Item[]; missing: string[] }> {
  const wanted = new Set(ids);
  const found = new Map<string, Item>();
  let pagesLeft = 1;
  for (let offset = 0; pagesLeft > 0 && pagesLeft < wanted.size - found.size; ) {
    const place = { limit: pageSize, offset };
    const { items, total } = await readPatiently(() => source.page(place), signal);
    for (const item of items) {
      const id = source.idOf(item);
      if (wanted.has(id)) found.set(id, item);
    }
    offset += pageSize;
    pagesLeft = items.length === 0 ? 0 : Math.ceil((total - offset) / pageSize);
  }
  const open = [...wanted].filter((id) => !found.has(id));
  const ask = (id: string) => nullWhenGone(() => readPatiently(() => source.one(id), signal));
  const asked = await mapBounded(open, ask, { signal });
  open.forEach((id, index) => {
    const item = asked[index];
    if (item) found.set(id, item);
  });
  const items = [...wanted].flatMap((id) => found.get(id) ?? []);
  return { items, missing: [...wanted].filter((id) => !found.has(id)) };
}
