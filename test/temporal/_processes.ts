// Checks by its pid whether a process is running.
import { spawnSync } from 'node:child_process';

/** Also false for a zombie: a process that has exited but was not reaped yet. */
export function isRunning(pid: number): boolean {
  const { stdout } = spawnSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' });
  return stdout.trim() !== '' && !stdout.trim().startsWith('Z');
}
