/**
 * Like `Promise.all(items.map(work))` with at most `maxConcurrent` in flight. After a failure, nothing new starts.
 * Running work is awaited, and then one of the errors is thrown.
 */
export async function mapBounded<Item, Result>(
  items: readonly Item[],
  task: (item: Item, index: number) => Promise<Result>,
  { maxConcurrent = 16, signal }: { maxConcurrent?: number; signal?: AbortSignal | undefined } = {},
): Promise<Result[]> {
  const results: Result[] = Array.from({ length: items.length });
  // All lanes take items from this one iterator.
  const entries = items.entries();
  let hasFailed = false;
  const lane = async () => {
    for (const [index, item] of entries) {
      if (hasFailed) return;
      try {
        signal?.throwIfAborted();
        results[index] = await task(item, index);
      } catch (error) {
        hasFailed = true;
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
