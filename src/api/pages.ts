// List pages as one stream of items, though items move between pages while we read.
import type { z } from 'zod';
import type { OperationRow } from './operation.ts';

export interface PageFields {
  total: number;
  limit: number;
  offset: number;
}

type ItemOf<Output> = {
  [Name in keyof Output]: Output[Name] extends readonly (infer Item)[] ? Item : never;
}[keyof Output];

type ListCall<Query, Output, Options> = (
  input: { query?: Query },
  options?: Options,
) => Promise<Output>;

type SearchCall<Body, Output, Options> = (
  input: { body: Body },
  options?: Options,
) => Promise<Output>;

export interface PagesOptions<Options> {
  /** Passed to every call. */
  call?: Options;
  /** @default 100, the most the platform gives */
  pageSize?: number;
}

interface Place {
  limit: number;
  offset: number;
}

/** Somebody who deletes without end must not keep us reading without end. */
const maxStepsBack = 50;

function itemsOf(page: object): unknown[] {
  return Object.values(page).find((value) => Array.isArray(value)) ?? [];
}

/** What makes an item the same on two pages: its own id. */
function identity(item: unknown): string {
  const fields = typeof item === 'object' && item !== null ? Object.entries(item) : [];
  const own =
    fields.find(([name]) => name === 'id') ?? fields.find(([name]) => name.endsWith('Id'));
  return String(own?.[1] ?? JSON.stringify(item));
}

/**
 * All items of a list operation, newest first, each once. New items push known ones onto later pages:
 * repeats are dropped. Deleted items pull unread ones onto pages already read: the same place is then read
 * again, that much earlier.
 *
 * @example for await (const render of pages(client.listRenders, { isVideo: false })) …
 */
export function pages<Query extends object, Output extends PageFields, Options>(
  list: ListCall<Query, Output, Options>,
  query: Omit<Query, 'limit' | 'offset'>,
  options: PagesOptions<Options> = {},
): AsyncGenerator<ItemOf<Output>> {
  return readPages(
    // limit and offset are what Omit took away.
    (place) => list({ query: { ...query, ...place } as unknown as Query }, options.call),
    options.pageSize,
  );
}

/**
 * Like `pages`, for an operation that takes its place in the body: asset search. Its offset ends at 100,000
 * (section 8); what lies beyond is a RequestShapeError that says so.
 *
 * @example for await (const asset of searchPages(client.searchAssets, { assetType: 'MODEL' })) …
 */
export function searchPages<Body extends object, Output extends PageFields, Options>(
  search: SearchCall<Body, Output, Options>,
  body: Omit<Body, 'limit' | 'offset'>,
  options: PagesOptions<Options> = {},
): AsyncGenerator<ItemOf<Output>> {
  return readPages(
    (place) => search({ body: { ...body, ...place } as unknown as Body }, options.call),
    options.pageSize,
  );
}

/** Where a row takes limit and offset; null when it gives everything at once. */
export function pagedBy(row: OperationRow): 'query' | 'body' | null {
  const takes = (schema: z.ZodType | undefined) =>
    schema !== undefined && 'shape' in schema && hasPlace(schema.shape);
  if (takes(row.query)) return 'query';
  return takes(row.body) ? 'body' : null;
}

function hasPlace(shape: unknown): boolean {
  return typeof shape === 'object' && shape !== null && 'limit' in shape && 'offset' in shape;
}

/** The walk over the pages of anything that answers with items and a total. */
export async function* readPages<Output extends PageFields>(
  read: (place: Place) => Promise<Output>,
  pageSize = 100,
): AsyncGenerator<ItemOf<Output>> {
  const limit = pageSize;
  const seen = new Set<string>();
  let offset = 0;
  let total: number | undefined;
  let stepsBack = 0;
  for (;;) {
    const page = await read({ limit, offset });
    const items = itemsOf(page);
    for (const item of items) {
      const name = identity(item);
      if (seen.has(name)) continue;
      seen.add(name);
      yield item as ItemOf<Output>;
    }
    const deleted = total === undefined ? 0 : total - page.total;
    total = page.total;
    if (deleted > 0 && stepsBack < maxStepsBack) {
      stepsBack += 1;
      offset = Math.max(0, offset - deleted);
      continue;
    }
    offset += items.length;
    if (items.length === 0 || offset >= total) return;
  }
}
