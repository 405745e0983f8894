// What this process may use of its machine: in a container less than there is.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

export interface Machine {
  /** CPUs; a part of one counts as one. */
  cores: number;
  memoryBytes: number;
  /** Where the heap of V8 ends, bytes. */
  heapBytes: number;
}

/** @param read gives the text of a file, or throws; for tests */
export function thisMachine(
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Machine {
  const limit = process.constrainedMemory();
  const total = totalmem();
  return {
    cores: Math.max(1, Math.min(availableParallelism(), quotaOf(read))),
    // Without a limit it is 0, or more than there is.
    memoryBytes: limit > 0 && limit < total ? limit : total,
    heapBytes: getHeapStatistics().heap_size_limit,
  };
}

/** CPUs that the cgroup of this process may use; Infinity where it has no limit. Node looks only at which CPUs it may run on. */
export function quotaOf(read: (path: string) => string): number {
  const [quota, period] = numbers(read, '/sys/fs/cgroup/cpu.max') ?? [
    numbers(read, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us')?.[0] ?? 0,
    numbers(read, '/sys/fs/cgroup/cpu/cpu.cfs_period_us')?.[0] ?? 0,
  ];
  if (!quota || !period || quota < 0) return Number.POSITIVE_INFINITY;
  return Math.ceil(quota / period);
}

/** Null where there is no such file. `max` is no number, so it comes out as NaN. */
function numbers(read: (path: string) => string, path: string): (number | undefined)[] | null {
  try {
    return read(path).trim().split(/\s+/).map(Number);
  } catch {
    return null;
  }
}
