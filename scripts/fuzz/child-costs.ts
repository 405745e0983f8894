// Measures the cost of child processes on Linux. Other systems provide no figures.
import { readdir, readFile } from 'node:fs/promises';

/** Duration of a clock tick, 1/100 s on every Linux that Node supports. */
const msOfTick = 10;
const pollIntervalMs = 10;

export interface ChildCosts {
  /** Maximum number of processes running at the same time. */
  atOnce: number;
  /** Total CPU time of all processes. */
  cpuMs: number;
  /** Highest peak memory of any process. */
  bytes: number;
}

/** Samples the costs while the task is running, because there are no figures for a process that has ended. */
export async function withChildCosts<T>(task: () => Promise<T>): Promise<[T, ChildCosts]> {
  const costByPid = new Map<string, { cpuMs: number; bytes: number }>();
  let atOnce = 0;
  const sample = async () => {
    const pids = await childrenOf();
    atOnce = Math.max(atOnce, pids.length);
    for (const pid of pids) {
      const cost = await costOf(pid).catch(() => null);
      if (cost) costByPid.set(pid, cost);
    }
  };
  const timer = setInterval(() => void sample(), pollIntervalMs);
  const value = await task();
  clearInterval(timer);
  await sample();
  const costs = [...costByPid.values()];
  const cpuMs = costs.reduce((sum, cost) => sum + cost.cpuMs, 0);
  return [value, { atOnce, cpuMs, bytes: Math.max(0, ...costs.map(({ bytes }) => bytes)) }];
}

async function childrenOf(): Promise<string[]> {
  const threads = await readdir('/proc/self/task').catch(() => []);
  const reads = threads.map((thread) =>
    readFile(`/proc/self/task/${thread}/children`, 'utf8').catch(() => ''),
  );
  return (await Promise.all(reads)).flatMap((text) => text.split(' ').filter((pid) => pid !== ''));
}

async function costOf(pid: string) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ') ?? [];
  const [peak = ''] = /VmHWM:\s+(\d+)/.exec(status)?.slice(1) ?? [];
  return {
    cpuMs: (Number(fields[11]) + Number(fields[12])) * msOfTick,
    bytes: Number(peak) * 1024,
  };
}
