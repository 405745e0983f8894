// The process in which tables are read: what ends it, and what a person then reads.
import { describe, expect, it } from 'vitest';
import { runTableProcess } from '../../src/tables/table-process.ts';

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

  it('that the system has killed is reported with the memory as the likely reason', async () => {
    await expect(signalled('SIGKILL')).rejects.toThrow(
      /^was not read, because .* killed.*probably because .* memory/,
    );
  });
});
