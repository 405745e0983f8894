// Runs commands in this process.
import type { Interrupts } from '../../src/cli/interrupts.ts';
import { runCli } from '../../src/cli/program.ts';
import { type CliEnvironment, createIo, type Screen } from './_fake-io.ts';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
  /** Parses stdout as the single JSON object of `--json`. */
  json<T = Record<string, unknown>>(): T;
}

export interface StartedCli {
  stdout: Screen;
  stderr: Screen;
  interrupts: Interrupts;
  done: Promise<CliResult>;
}

export function startCli(argv: readonly string[], world: CliEnvironment = {}): StartedCli {
  const { stdout, stderr, interrupts, io } = createIo(world);
  const done = runCli(argv, io).then((code) => ({
    code,
    stdout: stdout.plain,
    stderr: stderr.plain,
    json: <T>() => JSON.parse(stdout.text) as T,
  }));
  return { stdout, stderr, interrupts, done };
}

export function run(argv: readonly string[], world: CliEnvironment = {}): Promise<CliResult> {
  return startCli(argv, world).done;
}
