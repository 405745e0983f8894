// What a process has used so far, from Linux's own books.
import { readFileSync } from 'node:fs';

/** Clock ticks a second in /proc; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Milliseconds of processor time, user and system, of all threads of a process. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program stands in brackets and may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return (ticks / ticksPerSecond) * 1_000;
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
