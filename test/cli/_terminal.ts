// Runs commands in this process.
import type { Interrupts } from '../../src/cli/interrupts.ts';
import { runCli } from '../../src/cli/program.ts';
import { ioOf, type Screen, type World } from './_screen.ts';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
  /** The JSON object on stdout of a command with `--json`. */
  json<T = Record<string, unknown>>(): T;
}

export interface Started {
  stdout: Screen;
  stderr: Screen;
  interrupts: Interrupts;
  done: Promise<Ran>;
}

export function startCli(argv: readonly string[], world: World = {}): Started {
  const { stdout, stderr, interrupts, io } = ioOf(world);
  const done = runCli(argv, io).then((code) => ({
    code,
    stdout: stdout.plain,
    stderr: stderr.plain,
    json: <T>() => JSON.parse(stdout.text) as T,
  }));
  return { stdout, stderr, interrupts, done };
}

export function run(argv: readonly string[], world: World = {}): Promise<Ran> {
  return startCli(argv, world).done;
}
