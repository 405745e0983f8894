// The load of this worker: the share of the rate limit that its key uses, the poll lag, and the memory of the process.
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { computePollLag } from '../src/engine/polling/poller-context.ts';
import type { Load } from '../src/plan/shard/window.ts';
import type { Deps } from './deps.ts';

/** Below this share the worker has ample capacity, and results of activities do not report the load. */
const reportThreshold = 0.5;

export function readWorkerLoad({
  client,
  pollerContext,
}: Pick<Deps, 'client' | 'pollerContext'>): Load {
  const late = roundToHundredths(computePollLag(pollerContext));
  return {
    pressure: roundToHundredths(client.budget.pressure()),
    memory: roundToHundredths(readMemoryShare()),
    ...(late > 0 ? { pollLag: late } : {}),
  };
}

/** Returns the load for the results of activities, or an empty result if the load is low. */
export function readLoadIfHigh(deps: Pick<Deps, 'client' | 'pollerContext'>): { load?: Load } {
  const load = readWorkerLoad(deps);
  return Math.max(load.pressure, load.memory, load.pollLag ?? 0) < reportThreshold ? {} : { load };
}

/** Returns the larger of two shares: of the container's or machine's memory, and of the JavaScript heap limit. */
function readMemoryShare(): number {
  const { rss, heapUsed } = process.memoryUsage();
  // Outside a container, the limit is 0 or larger than the machine's memory.
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(rss / bytes, heapUsed / getHeapStatistics().heap_size_limit);
}

function roundToHundredths(share: number): number {
  return Math.round(100 * share) / 100;
}
