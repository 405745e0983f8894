// Reads how many CPUs and how much memory this process may use. In a container, this may be less than the machine has.
import { readFileSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';

export interface Machine {
  /** Number of CPUs, rounded up. */
  cores: number;
  memoryBytes: number;
  /** Heap limit of V8, bytes. */
  heapBytes: number;
}

/** @param read returns the text of a file, or throws. Tests replace it */
export function readMachine(
  read: (path: string) => string = (path) => readFileSync(path, 'utf8'),
): Machine {
  const limit = process.constrainedMemory();
  const total = totalmem();
  return {
    cores: Math.max(1, Math.min(availableParallelism(), readCpuQuota(read))),
    // Without a limit, the value is 0 or larger than the total memory.
    memoryBytes: limit > 0 && limit < total ? limit : total,
    heapBytes: getHeapStatistics().heap_size_limit,
  };
}

/** Returns the CPU quota of this cgroup, or Infinity without one. Node itself considers only the CPU affinity. */
export function readCpuQuota(read: (path: string) => string): number {
  const [quota, period] = readNumbers(read, '/sys/fs/cgroup/cpu.max') ?? [
    readNumbers(read, '/sys/fs/cgroup/cpu/cpu.cfs_quota_us')?.[0] ?? 0,
    readNumbers(read, '/sys/fs/cgroup/cpu/cpu.cfs_period_us')?.[0] ?? 0,
  ];
  if (!quota || !period || quota < 0) return Number.POSITIVE_INFINITY;
  return Math.ceil(quota / period);
}

/** Returns the numbers in a file, or null if the file does not exist. The word `max` becomes NaN. */
function readNumbers(read: (path: string) => string, path: string): (number | undefined)[] | null {
  try {
    return read(path).trim().split(/\s+/).map(Number);
  } catch {
    return null;
  }
}
