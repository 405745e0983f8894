// How hard this worker is at work: what its key has spent of the allowance, how late its looks come, and the memory that
// the process takes.
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import type { Load } from '../src/plan/window.ts';
import type { Deps } from './deps.ts';

/** Below this a worker has room for much more, and results say nothing of it. */
const worthSaying = 0.5;

export function loadOf({ client, lookout }: Pick<Deps, 'client' | 'lookout'>): Load {
  const late = hundredths(lookout.late.share());
  return {
    pressure: hundredths(client.budget.pressure()),
    memory: hundredths(memoryShare()),
    ...(late > 0 ? { late } : {}),
  };
}

/** For results of activities: nothing where there is nothing to say. */
export function loadIfHigh(deps: Pick<Deps, 'client' | 'lookout'>): { load?: Load } {
  const load = loadOf(deps);
  return Math.max(load.pressure, load.memory, load.late ?? 0) < worthSaying ? {} : { load };
}

/** To ask the system takes longer than all else that a result has to say. */
const knownForMs = 1_000;
let known = { share: 0, atMs: Number.NEGATIVE_INFINITY };

function memoryShare(): number {
  const nowMs = performance.now();
  if (nowMs - known.atMs >= knownForMs) known = { share: memoryShareNow(), atMs: nowMs };
  return known.share;
}

/** The larger share: of what the container or the machine has, or of what JavaScript may take of it. */
function memoryShareNow(): number {
  const { rss, heapUsed } = process.memoryUsage();
  // Of a process without a container it is nothing, or more than there is.
  const limit = process.constrainedMemory();
  const bytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return Math.max(rss / bytes, heapUsed / getHeapStatistics().heap_size_limit);
}

function hundredths(share: number): number {
  return Math.round(100 * share) / 100;
}
