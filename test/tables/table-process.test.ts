// The process in which tables are read: what ends it, and what a person then reads.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createProgram, runTableProcess } from '../../src/tables/table-process.ts';
import { isRunning } from '../temporal/_processes.ts';

/** Runs a program that the signal reaches before it has an answer, as Ctrl-C in a terminal does. */
function signalled(signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): Promise<string> {
  const script = "send('ready'); process.on('message', () => send('answer'));";
  return runTableProcess({ script, request: {}, instead: 'JSON Lines' }, (message, child) => {
    if (message === 'answer') return 'answer';
    child.kill(signal);
    child.send('go on');
    return undefined;
  });
}

describe('a process that reads a table', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('ignores %s, which is for the worker', async (signal) => {
    expect(await signalled(signal)).toBe('answer');
  });

  it('that fails is reported with its error and the place of the error', async () => {
    const script = "setImmediate(() => { throw new TypeError('no such cell'); });";
    await expect(
      runTableProcess({ script, request: {}, instead: 'CSV' }, () => undefined),
    ).rejects.toThrow(/^the process that reads tables failed: TypeError: no such cell\n +at /);
  });

  it.skipIf(process.platform === 'win32')(
    'ends with its worker, even while it is busy',
    async () => {
      const busy = createProgram("send('busy'); for (;;);");
      const parent = spawn(process.execPath, [
        '-e',
        `const options = { stdio: ['ignore', 'ignore', 'ignore', 'ipc'], serialization: 'advanced' };
      const child = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(busy)}], options);
      child.once('message', () => console.log(child.pid));
      child.send({});`,
      ]);
      const [pid] = await once(parent.stdout, 'data');
      parent.kill('SIGKILL');
      expect(isRunning(Number(pid))).toBe(true);
      await expect.poll(() => isRunning(Number(pid)), { timeout: 20_000 }).toBe(false);
    },
  );

  it('that the system has killed is reported with the memory as the likely reason', async () => {
    await expect(signalled('SIGKILL')).rejects.toThrow(
      /^was not read, because .* killed.*probably because .* memory/,
    );
  });
});
