#!/usr/bin/env node
// Entry point of the process. Handles streams, signals and the exit code.
import process from 'node:process';
import { explainError } from '../app/renderline-error.ts';
import { processEnvironment } from '../settings/config.ts';
import { Interrupts } from './interrupts.ts';

// With source maps, stack traces of the bundled program show the names of the source files.
if (processEnvironment()['RENDERLINE_LOG'] === 'debug') process.setSourceMapsEnabled(true);
const interrupts = new Interrupts();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupts.interrupt());
}

/** Exit code that shells report for a program ended by a closed pipe. */
const closedPipe = 141;
/** The first error after which a part of the output is lost, for example because the disk is full. */
let outputError: Error | undefined;
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    // A reader may close its pipe early, as `head` does. A command that is still working has no exit code yet.
    if (error.code === 'EPIPE') process.exit(closedPipe);
    // Messages and log lines may be lost. A worker continues without them.
    if (stream === process.stdout) outputError ??= error;
  });
}

/** Prints an error of the process itself. Returns its exit code. */
function printError(error: unknown, context = ''): number {
  const { message, fix, exit } = explainError(error);
  process.stderr.write(`error ${context}${message}\n  ${fix}\n`);
  return exit;
}

// Loading the program opens many modules and fails in a process with too few file descriptors.
const { runCli } = await import('./program.ts').catch((error: unknown) =>
  process.exit(printError(error)),
);
const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: processEnvironment(),
  cwd: process.cwd(),
  interrupts,
  now: Date.now,
});
// Flushes both streams, then exits even if something is still pending.
process.stdout.write('', (error: NodeJS.ErrnoException | null | undefined) => {
  // A command that is done keeps its exit code if the reader has closed its pipe.
  const lost = outputError ?? (error?.code === 'EPIPE' ? null : error);
  const outputCode = lost ? printError(lost, 'The output cannot be written: ') : 0;
  process.stderr.write('', () => process.exit(code || outputCode));
});
