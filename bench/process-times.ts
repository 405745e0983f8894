// Reads the CPU time and memory of a process from /proc (Linux only).
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks per second in /proc. There are 100 on every Linux that Node supports. */
const ticksPerSecond = 100;

/** Returns the CPU time (user and system) of a process and its children, in ms. */
export function cpuMs(pid: number): number {
  const fields = fieldsOf(pid);
  if (fields === null) throw new Error(`no process ${pid}`);
  // Fields 14 to 17 of proc(5) are the times of the process and of its ended children.
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = childrenOf(pid).map((child) => cpuOfChild(child));
  return (ticks / ticksPerSecond) * 1_000 + children.reduce((sum, ms) => sum + ms, 0);
}

/** Returns the CPU time of a child, or 0 if the child has just ended, because its parent then counts it. */
function cpuOfChild(pid: number): number {
  try {
    return cpuMs(pid);
  } catch {
    return 0;
  }
}

export function childrenOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((processId) => fieldsOf(processId)?.[1] === String(pid));
}

/** Returns the fields from the third one on (state, parent, …), or null if the process does not exist. */
function fieldsOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The program's name is in brackets and may contain spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Returns the current memory of the process, in MiB. */
export function residentMib(pid: number): number {
  return statusMib(pid, 'VmRSS');
}

/** Returns the peak memory of the process, in MiB. */
export function peakMemoryMib(pid: number): number {
  return statusMib(pid, 'VmHWM');
}

function statusMib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Math.round(Number(kib ?? 0) / 1_024);
}
