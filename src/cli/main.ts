#!/usr/bin/env node
// Entry point of the process: streams, signals, exit code.
import process from 'node:process';
import { explainError } from '../app/renderline-error.ts';
import { processEnvironment } from '../settings/config.ts';
import { Interrupts } from './interrupts.ts';

// With source maps, stack traces of the bundled program contain the names of the source files.
if (processEnvironment()['RENDERLINE_LOG'] === 'debug') process.setSourceMapsEnabled(true);
const interrupts = new Interrupts();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupts.interrupt());
}

/** Exit code of a program that a closed pipe ends, as shells report it. */
const closedPipe = 141;
// A reader may close its pipe early, as `head` does. If the command is still working, its own exit code is not known.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(closedPipe);
  });
}

// Loading the program opens many modules, which fails in a process with too few file descriptors.
const { runCli } = await import('./program.ts').catch((error: unknown) => {
  const { message, fix, exit } = explainError(error);
  process.stderr.write(`error ${message}\n  ${fix}\n`);
  return process.exit(exit);
});
const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: processEnvironment(),
  cwd: process.cwd(),
  interrupts,
  now: Date.now,
});
// Flushes both streams, then exits even if something else is still pending.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
