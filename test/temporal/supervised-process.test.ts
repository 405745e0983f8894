import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { startSupervised } from '../../src/temporal/server/supervised-process.ts';
import { fakeMachine } from './_fake-machine.ts';
import { isRunning } from './_processes.ts';

const env = { PATH: '/usr/bin:/bin' };
const sh = (script: string, logFile?: string) =>
  startSupervised('/bin/sh', ['-c', script], { env, logFile });
// Exits on SIGTERM with its own exit code, as a server does.
const polite = `trap 'echo bye; exit 7' TERM; echo ready; while :; do sleep 0.05; done`;
const stubborn = `trap '' TERM; echo ready; while :; do sleep 0.05; done`;

describe('the program', () => {
  test('the program keeps its pid, exit code and output', async () => {
    const child = sh('echo $$; echo oops >&2; exit 5');
    expect(await child.exited).toEqual({ code: 5, signal: null });
    expect(child.output().split('\n').sort()).toEqual([String(child.pid), 'oops']);
  });

  test('the program gets no input and only the given environment', async () => {
    const child = startSupervised('/bin/sh', ['-c', 'cat; echo "[$HOME][$X]"'], {
      env: { ...env, X: '1' },
    });
    await child.exited;
    expect(child.output()).toBe('[][1]');
  });

  test('a program that does not exist ends immediately, with the reason in its output', async () => {
    const child = startSupervised('/no/such/program', [], { env });
    expect((await child.exited).code).toBe(127);
    expect(child.output()).toContain('/no/such/program');
  });

  test('the program has a process group of its own, so that Ctrl-C does not reach it', async () => {
    const child = sh('ps -o pgid= -p $$');
    await child.exited;
    expect(Number(child.output())).toBe(child.pid);
  });

  test('the program also writes its output to a log file, after the existing content', async () => {
    const { folder } = await fakeMachine();
    const logFile = join(folder, 'logs', 'server.log');
    await sh('echo one', logFile).exited;
    await expect.poll(() => readFile(logFile, 'utf8').catch(() => '')).toBe('one\n');
    await sh('echo two >&2', logFile).exited;
    await expect.poll(() => readFile(logFile, 'utf8')).toBe('one\ntwo\n');
  });
});

test('kill also ends child processes of the program', async () => {
  const child = sh('sleep 600 & echo $!; wait');
  await expect.poll(() => child.output()).toMatch(/^\d+$/);
  child.kill();
  expect((await child.exited).signal).toBe('SIGKILL');
  await expect.poll(() => isRunning(Number(child.output()))).toBe(false);
});

test('child processes end with the program, even if it exits by itself', async () => {
  const child = sh('sleep 600 >/dev/null 2>&1 & echo $!');
  await child.exited;
  await expect.poll(() => isRunning(Number(child.output()))).toBe(false);
});

describe('stop', () => {
  test('stop sends SIGTERM first, and waits for the end', async () => {
    const child = sh(polite);
    await expect.poll(() => child.output()).toBe('ready');
    await child.stop();
    expect(await child.exited).toEqual({ code: 7, signal: null });
    expect(child.output()).toContain('bye');
    expect(isRunning(child.pid)).toBe(false);
  });

  test('stop kills a program that ignores SIGTERM', async () => {
    const child = sh(stubborn);
    await expect.poll(() => child.output()).toBe('ready');
    await child.stop(50);
    expect(await child.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('stop may be called twice, at the same time or later, and after the end', async () => {
    const child = sh(polite);
    await Promise.all([child.stop(), child.stop()]);
    await child.stop();
    const ended = sh('exit 0');
    await ended.exited;
    await ended.stop();
    expect(await ended.exited).toEqual({ code: 0, signal: null });
  });
});
