#!/usr/bin/env node
// The process around the program: streams, signals, exit.
import process from 'node:process';
import { processEnvironment } from '../config.ts';
import { Interrupts } from './interrupts.ts';
import { runCli } from './program.ts';

const interrupts = new Interrupts();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => interrupts.interrupt());
}
// The reader of a pipe may leave early; that is its right.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

const code = await runCli(process.argv.slice(2), {
  stdout: process.stdout,
  stderr: process.stderr,
  stdin: process.stdin,
  env: processEnvironment(),
  cwd: process.cwd(),
  interrupts,
  now: Date.now,
});
// Output may still be on its way into a pipe; then nothing may keep the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));
