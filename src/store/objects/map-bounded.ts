/** Default for the number of operations that one `mapBounded` runs at a time. */
const defaultMaxConcurrent = 16;

/**
 * Like `Promise.all(items.map(work))` with at most `maxConcurrent` in flight. After a failure nothing new starts;
 * running work is awaited, then one of the errors is thrown.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  work: (item: Item, index: number) => Promise<Result>,
  {
    maxConcurrent = defaultMaxConcurrent,
    signal,
  }: { maxConcurrent?: number; signal?: AbortSignal | undefined } = {},
): Promise<Result[]> {
  const results: Result[] = Array.from({ length: items.length });
  // All lanes take items from this one iterator.
  const rest = items.entries();
  let failed = false;
  const lane = async () => {
    for (const [index, item] of rest) {
      if (failed) return;
      try {
        signal?.throwIfAborted();
        results[index] = await work(item, index);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  const lanes = await Promise.allSettled(
    Array.from({ length: Math.min(maxConcurrent, items.length) }, lane),
  );
  for (const outcome of lanes) if (outcome.status === 'rejected') throw outcome.reason;
  return results;
}
