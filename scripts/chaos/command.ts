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

/** Runs `renderline ARGS` to its end; the signal is its Ctrl-C. */
export async function runCommand(
  args: readonly string[],
  { env, cwd, signal }: { env: Env; cwd: string; signal: AbortSignal },
): Promise<Finished> {
  signal.throwIfAborted();
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const said = Promise.all([text(stdout), text(stderr)]);
  const interrupts = new Interrupts();
  const leave = () => interrupts.interrupt();
  signal.addEventListener('abort', leave);
  try {
    const io = { stdout, stderr, stdin: new PassThrough().end(), env, cwd, interrupts };
    const code = await runCli(args, { ...io, now: Date.now });
    stdout.end();
    stderr.end();
    const [out, err] = await said;
    signal.throwIfAborted();
    return { code, stdout: out, stderr: err };
  } finally {
    signal.removeEventListener('abort', leave);
  }
}
