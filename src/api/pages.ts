// Reads the pages of a list as one stream of items, even if items move between pages in the meantime.
import { z } from 'zod';
import type { OperationRow } from './contract/operation.ts';
import { hasMark } from './contract/response-marks.ts';
import { shapeOf } from './contract/schema-parts.ts';
import { type OperationId, operations } from './operations/index.ts';
import { ListBounds } from './responses/list-bounds.ts';
import { idOf, UnreadableValue } from './responses/response-values.ts';
import { asRecord } from './unknown-values.ts';

export interface PageFields {
  total?: unknown;
}

export type ItemOf<Output> = Output extends unknown
  ? {
      [Name in keyof Output]-?: Output[Name] extends readonly (infer Item)[] ? Item : never;
    }[keyof Output]
  : never;

type ListCall<Query, Output, Options> = (
  input: { query?: Query },
  options?: Options,
) => Promise<Output>;

interface WalkOptions {
  /** @default 100, the maximum of the platform */
  pageSize?: number | undefined;
  /** True to throw if items are unreadable or missing. Callers that rely on the absence of an item need this. */
  requireComplete?: boolean;
}

export interface PagesOptions<Options> extends WalkOptions {
  /** Options for the request of each page. */
  call?: Options;
}

interface PageWindow {
  limit: number;
  offset: number;
}

/** Maximum number of times that pages are read again because items were deleted. */
const maxStepsBack = 50;

/** Returns what identifies an item across pages: its own id or, if it has none, its whole content. */
function identityOf(item: unknown, idField: string | undefined): string {
  const id = idOf(idField === undefined ? undefined : asRecord(item)[idField]);
  return id instanceof UnreadableValue ? JSON.stringify(item) : id;
}

/** Finds the name of the list field in a response, and the id field of its items. */
function findListField({
  response,
}: OperationRow): { name: string; idField?: string | undefined } | null {
  if (!(response instanceof z.ZodObject)) return null;
  const [name, list] =
    Object.entries(response.shape).find(([, part]) => hasMark(part, 'items')) ?? [];
  if (name === undefined || !(list instanceof z.ZodArray)) return null;
  const { element } = list;
  const fields = element instanceof z.ZodObject ? Object.entries(shapeOf(element)) : [];
  const [idField] = fields.find(([, field]) => hasMark(field, 'id')) ?? [];
  return { name, idField };
}

/**
 * Lists all items of a list operation, each once. New items push known items to later pages, so repeated items are
 * dropped. Deleted items move unread items to earlier pages, so the offset is moved back by the number of deletions.
 *
 * @example for await (const render of pages('listRenders', client.listRenders, { isVideo: false })) …
 */
export function listPages<Query extends object, Output extends PageFields, Options>(
  operation: OperationId,
  list: ListCall<Query, Output, Options>,
  query: NoInfer<Query> & Partial<Record<keyof PageWindow, never>>,
  options: PagesOptions<Options> = {},
): AsyncGenerator<ItemOf<Output>> {
  return readPages(
    operations[operation],
    (window) => list({ query: { ...query, ...window } }, options.call),
    options,
  );
}

/** Returns where a request has `limit` and `offset`, or null for a list without pages. */
export function pageParamsIn(row: OperationRow): 'query' | 'body' | null {
  const isPaged = (schema: z.ZodType | undefined) =>
    schema instanceof z.ZodObject && 'limit' in schema.shape && 'offset' in schema.shape;
  if (isPaged(row.query)) return 'query';
  return isPaged(row.body) ? 'body' : null;
}

/**
 * Reads the pages of any operation that responds with items and a total.
 * @throws ResponseShapeError if the list is missing or does not end, or is incomplete despite `requireComplete`
 */
export async function* readPages<Output extends PageFields>(
  row: OperationRow,
  readPage: (window: PageWindow) => Promise<Output>,
  { pageSize: limit = 100, requireComplete = false }: WalkOptions = {},
): AsyncGenerator<ItemOf<Output>> {
  const seenNames = new Set<string>();
  const bounds = new ListBounds(row.id, limit);
  const { name: listName = '', idField } = findListField(row) ?? {};
  let offset = 0;
  let knownTotal: number | undefined;
  let stepsBack = 0;
  for (let isReread = false; ; ) {
    const page = await readPage({ limit, offset });
    const items = itemsOf(page, listName) ?? bounds.failMissingList(listName);
    const countBefore = seenNames.size;
    for (const item of items) {
      const name = identityOf(item, idField);
      if (seenNames.has(name)) continue;
      seenNames.add(name);
      yield item as ItemOf<Output>;
    }
    const total = countOf(page.total);
    const deletedCount = (knownTotal ?? 0) - (total ?? knownTotal ?? 0);
    knownTotal = total ?? knownTotal;
    const isNew = isReread || seenNames.size > countBefore;
    bounds.recordPage({ items: items.length, isNew, total });
    if (requireComplete) bounds.assertAllRead(items);
    isReread = deletedCount > 0 && stepsBack < maxStepsBack;
    if (isReread) {
      stepsBack += 1;
      offset = Math.max(0, offset - deletedCount);
      continue;
    }
    offset += items.length;
    if (!isEndOfList(items.length, offset, knownTotal, limit)) continue;
    if (requireComplete) bounds.assertComplete(seenNames.size, knownTotal);
    return;
  }
}

/** Returns the items of a page. The list is found by name, because a response may contain other lists. */
function itemsOf(page: object, listName: string): unknown[] | undefined {
  const list: unknown = Object.entries(page).find(([name]) => name === listName)?.[1];
  return Array.isArray(list) ? list : undefined;
}

/** True after the last page. If the total is unknown or too small, a page that is not full is taken as the last one. */
function isEndOfList(
  items: number,
  offset: number,
  total: number | undefined,
  limit: number,
): boolean {
  if (items === 0 || offset === total) return true;
  return (total === undefined || offset > total) && items < limit;
}

function countOf(total: unknown): number | undefined {
  return typeof total === 'number' && Number.isSafeInteger(total) && total >= 0 ? total : undefined;
}
