// Runs the built program as child processes, which always end together with this process.
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type SupervisedProcess,
  startSupervised,
} from '../../src/temporal/server/supervised-process.ts';

export type Env = Record<string, string>;

/** Returns the path of a built file, whether this code runs from dist or from its source. */
export function findBuiltFile(path: string): string {
  const beside = fileURLToPath(new URL(`../../${path}`, import.meta.url));
  if (existsSync(beside)) return beside;
  const distPath = fileURLToPath(new URL(`../../dist/${path}`, import.meta.url));
  if (existsSync(distPath)) return distPath;
  throw new Error(`${distPath} is missing; run npm run build`);
}

const main = 'program/cli/main.js';

function fullEnvironment(env: Env): Env {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NO_COLOR: '1', ...env };
}

/** Starts `renderline ARGS`. All its output goes to the log file. */
export function startProgram(
  args: readonly string[],
  env: Env,
  logFile: string,
): SupervisedProcess {
  return startSupervised(process.execPath, [findBuiltFile(main), ...args], {
    env: fullEnvironment(env),
    cwd: dirname(logFile),
    logFile,
  });
}

/** Resolves when the output matches the pattern. Rejects if the program exits first. */
export async function waitForOutput(
  program: SupervisedProcess,
  pattern: RegExp,
  signal: AbortSignal,
): Promise<string> {
  let hasEnded = false;
  const end = () => {
    hasEnded = true;
  };
  program.exited.then(end, end);
  for (;;) {
    const output = program.output();
    if (pattern.test(output)) return output;
    if (hasEnded) throw new Error(`the program exited before it printed ${pattern}:\n${output}`);
    await delay(50, undefined, { signal });
  }
}
