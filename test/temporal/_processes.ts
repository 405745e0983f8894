// Checks by pid whether a process runs.
import { spawnSync } from 'node:child_process';

/** Returns false also for a zombie process, which has ended and was not reaped. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
