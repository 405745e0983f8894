// What a process has used so far, from Linux's own books.
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Milliseconds of processor time, user and system, of a process and its children, such as those that decode pictures. */
export function cpuMs(pid: number): number {
  const own = fieldsOf(pid);
  if (own === null) throw new Error(`no process ${pid}`);
  // Fields 14 to 17 of proc(5): its own, and of children that have ended.
  const ticks = own.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  const children = childrenOf(pid).map((child) => cpuOfChild(child));
  return (ticks / ticksPerSecond) * 1_000 + children.reduce((sum, ms) => sum + ms, 0);
}

/** One that has just ended is counted by its parent. */
function cpuOfChild(pid: number): number {
  try {
    return cpuMs(pid);
  } catch {
    return 0;
  }
}

function childrenOf(pid: number): number[] {
  const processes = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return processes.map(Number).filter((one) => fieldsOf(one)?.[1] === String(pid));
}

/** From the third field on: state, parent, ...; null where there is no such process. */
function fieldsOf(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name of the program stands in brackets and may hold spaces.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** Memory that the process holds now, MiB. */
export function residentMib(pid: number): number {
  return statusMib(pid, 'VmRSS');
}

/** Most memory that the process has held at once, MiB. */
export function peakMemoryMib(pid: number): number {
  return statusMib(pid, 'VmHWM');
}

function statusMib(pid: number, field: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const kib = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1];
  return Math.round(Number(kib ?? 0) / 1_024);
}
