// Commands of the program in this process, where a process of their own would prove nothing: starting one takes a second.
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Interrupts } from '../../src/cli/interrupts.ts';
import { runCli } from '../../src/cli/program.ts';
import type { Env } from './program.ts';

export interface Finished {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `renderline ARGS` to its end. */
export async function runCommand(
  args: readonly string[],
  { env, cwd }: { env: Env; cwd: string },
): Promise<Finished> {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said = Promise.all([text(stdout), text(stderr)]);
  const stdin = new PassThrough().end();
  const interrupts = new Interrupts();
  const code = await runCli(args, { stdout, stderr, stdin, env, cwd, interrupts, now: Date.now });
  stdout.end();
  stderr.end();
  const [out, err] = await said;
  return { code, stdout: out, stderr: err };
}
