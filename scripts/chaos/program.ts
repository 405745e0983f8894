// The built program as processes of its own, which end when this one does, however it ends.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
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

const main = 'program/cli/main.js';

function whole(env: Env): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_COLOR: '1', ...env };
}

/** Starts `renderline ARGS` for as long as it is wanted. All that it prints goes to the log. */
export function startProgram(
  args: readonly string[],
  env: Env,
  logFile: string,
): SupervisedProcess {
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
