// Runs the reads of one poll. A failed read must not prevent the results of the others.
import { ApiError, ResponseShapeError, TransportError } from '../../api/errors/errors.ts';
import { classify } from '../../api/errors/retry.ts';
import { mapBounded } from '../../store/objects/map-bounded.ts';

const maxConcurrentReads = 8;

/**
 * Reads items and returns the results by item. Failed reads are missing, and the next poll repeats them.
 * @throws the first error if all reads failed, and at once any error that would affect the whole run
 */
export async function readEach<Item, Result>(
  items: readonly Item[],
  read: (item: Item) => Promise<Result>,
): Promise<Map<Item, Result>> {
  const results = new Map<Item, Result>();
  const errors: unknown[] = [];
  const readItem = async (item: Item) => {
    try {
      results.set(item, await read(item));
    } catch (error) {
      if (!isErrorOfOneItem(error)) throw error;
      errors.push(error);
    }
  };
  await mapBounded(items, readItem, { maxConcurrent: maxConcurrentReads });
  if (results.size === 0 && errors.length > 0) throw errors[0];
  return results;
}

/** Returns the results by id from all pages that could be read. */
export async function readEachPage<Page, Result>(
  pages: readonly Page[],
  read: (page: Page) => Promise<ReadonlyMap<string, Result>>,
): Promise<Map<string, Result>> {
  const results = await readEach(pages, read);
  return new Map([...results.values()].flatMap((page) => [...page]));
}

const responseErrors = [ApiError, ResponseShapeError, TransportError];

/** True for an error of a single read, after which other reads may succeed. */
export function isErrorOfOneItem(error: unknown): boolean {
  if (!responseErrors.some((kind) => error instanceof kind)) return false;
  const { kind } = classify(error);
  return kind === 'never' || kind === 'backoff';
}

/** Like `readEach`, for polls in parts. A failed part is ignored unless all parts fail. Other errors are thrown. */
export function tolerateSomeFailures(parts: readonly Promise<void>[]): Promise<void>[] {
  const outcomes = Promise.allSettled(parts);
  return parts.map((part) =>
    part.catch(async (error: unknown) => {
      const hasSuccess = (await outcomes).some(({ status }) => status === 'fulfilled');
      if (!hasSuccess || !isErrorOfOneItem(error)) throw error;
    }),
  );
}
