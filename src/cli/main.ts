#!/usr/bin/env node
// The process of the program: streams, signals, exit.
import process from 'node:process';
import { processEnvironment } from '../settings/config.ts';
import { explainError } from './exit.ts';
import { Interrupts } from './interrupts.ts';

// Stack traces of the bundled program then name the files that it was made of.
if (processEnvironment()['RENDERLINE_LOG'] === 'debug') process.setSourceMapsEnabled(true);
const interrupts = new Interrupts();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupts.interrupt());
}
// The reader of a pipe may close it early, which is no error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

// The program has so many modules that a process with few file descriptors cannot even load it.
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
// Waits until output has left for a pipe, then exits even if something else is pending.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
