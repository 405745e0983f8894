// Whether a process runs, told by its pid.
import { spawnSync } from 'node:child_process';

/** False as well for a process that has ended but that nobody has collected yet. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
