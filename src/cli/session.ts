// State of one command: an App together with streams, output and an exit code.
import { App } from '../app/app.ts';
import { exitCode } from '../failures/exit-code.ts';
import { formatFileProblems } from './format-file-problems.ts';
import type { Io } from './io.ts';
import { Output } from './output.ts';

export class Session extends App {
  readonly io: Io;
  readonly output: Output;
  /** Printed when the command is interrupted. Explains how to return to a run that is still running. */
  resumeHint: string | null = null;
  /** Help or version that the command line requests. */
  helpText = '';
  #exitCode: number = exitCode.done;

  constructor(io: Io, json: boolean, { quiet = false }: { quiet?: boolean } = {}) {
    const { env, cwd, now } = io;
    super({
      env,
      cwd,
      now,
      logStream: io.stderr,
      signal: io.interrupts.forced,
      onNote: (text) => this.output.note(text),
      onProblems: (file, problems) => this.output.note(formatFileProblems(io, file, problems)),
    });
    this.io = io;
    this.output = new Output(io, json, quiet);
  }

  get exitCode(): number {
    return this.#exitCode;
  }

  /**
   * Wraps a function as a commander action that stores the returned exit code. A command that always succeeds returns
   * none, and any other command returns one on every path.
   */
  action<Args extends unknown[]>(
    task: (...args: Args) => Promise<number | void>,
  ): (...args: Args) => Promise<void> {
    return async (...args) => {
      this.#exitCode = (await task(...args)) ?? exitCode.done;
    };
  }
}
