// Runs commands of the program inside this process, because starting a process takes a second and proves nothing more.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Interrupts } from '../../src/cli/interrupts.ts';
import { runCli } from '../../src/cli/program.ts';
import type { Env } from './program.ts';

export interface CommandResult {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `renderline ARGS` until it exits. */
export async function runCommand(
  args: readonly string[],
  { env, cwd }: { env: Env; cwd: string },
): Promise<CommandResult> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const output = Promise.all([text(stdout), text(stderr)]);
  const stdin = new PassThrough().end();
  const interrupts = new Interrupts();
  const code = await runCli(args, { stdout, stderr, stdin, env, cwd, interrupts, now: Date.now });
  stdout.end();
  stderr.end();
  const [out, err] = await output;
  return { code, stdout: out, stderr: err };
}
