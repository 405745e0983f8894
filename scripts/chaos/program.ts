// The built program as processes of its own, which end when this one does, however it ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type SupervisedProcess, startSupervised } from '../../src/temporal/supervised-process.ts';

export type Env = Record<string, string>;

/** A file of the build, whether this code itself was built or is run from its source. */
export function built(path: string): string {
  const beside = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (existsSync(beside)) return beside;
  const below = fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
  if (existsSync(below)) return below;
  throw new Error(`${below} is missing; npm run build makes it`);
}

const main = 'src/cli/main.js';

function whole(env: Env): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_COLOR: '1', ...env };
}

/** Starts `renderline ARGS` for as long as it is wanted. All that it prints goes to the log. */
export function startProgram(args: readonly string[], env: Env, logFile: string): SupervisedProcess {
  return startSupervised(process.execPath, [built(main), ...args], {
    env: whole(env),
    cwd: dirname(logFile),
    logFile,
  });
}

/** Resolves when it has said this; rejects when it ends before. */
export async function untilSaid(
  program: SupervisedProcess,
  words: RegExp,
  signal: AbortSignal,
): Promise<string> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  program.exited.then(end, end);
  for (;;) {
    const said = program.output();
    if (words.test(said)) return said;
    if (ended) throw new Error(`it ended before it said ${words}:\n${said}`);
    await delay(50, undefined, { signal });
  }
}

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `renderline ARGS` to its end, or until the signal kills it. */
export async function runProgram(
  args: readonly string[],
  { env, cwd, signal }: { env: Env; cwd: string; signal: AbortSignal },
): Promise<Finished> {
  const child = spawn(process.execPath, [built(main), ...args], {
    env: whole(env),
    cwd,
    signal,
    killSignal: 'SIGKILL',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    closed,
  ]);
  return { code: code as number | null, stdout, stderr };
}
