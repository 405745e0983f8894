// Commands in the test's own process, where a process of their own would prove nothing: starting one takes half a
// second of a core. What is about processes, signals, pipes and the built program starts them (`_stack.ts`).
import { run } from '../cli/_terminal.ts';
import type { Env, Finished } from './_stack.ts';

/** Runs `renderline ARGS` to its end, here. */
export async function runHere(args: string[], env: Env): Promise<Finished> {
  const { PATH = '', HOME = '' } = process.env;
  const { code, stdout, stderr } = await run(args, { env: { PATH, HOME, NO_COLOR: '1', ...env } });
  return { code, stdout, stderr };
}
