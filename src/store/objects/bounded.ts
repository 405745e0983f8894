// Many small effects at once, but never too many.

/** Storage operations in flight for one activity. */
const storageAtOnce = 16;

/**
 * Like `Promise.all(items.map(work))` with at most `atOnce` in flight. After a failure nothing new starts;
 * what runs is awaited, then the first error is thrown.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  { atOnce = storageAtOnce, signal }: { atOnce?: number; signal?: AbortSignal | undefined } = {},
): Promise<Result[]> {
  const results: Result[] = Array.from({ length: items.length });
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < items.length && !failed) {
      const index = next;
      next += 1;
      try {
        signal?.throwIfAborted();
        results[index] = await work(items[index] as Item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(
    Array.from({ length: Math.min(atOnce, items.length) }, lane),
  );
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
