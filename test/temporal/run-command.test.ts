import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CommandError, findOnPath, runCommand } from '../../src/temporal/server/run-command.ts';
import { fakeMachine, program } from './_fake-machine.ts';
import { isRunning } from './_processes.ts';

const sh = (script: string, options: Partial<Parameters<typeof runCommand>[2]> = {}) =>
  runCommand('/bin/sh', ['-c', script], { env: {}, timeoutMs: 20_000, ...options });

describe('a command that ends', () => {
  test('a command returns the output of both streams', async () => {
    expect(await sh('echo out; echo err >&2')).toBe('out\nerr');
  });

  test('a command gets only the given environment', async () => {
    expect(await sh('echo "$LANG-$HOME"', { env: { LANG: 'x' } })).toBe('x-');
  });

  test.each([
    ['exit 3', 'ended with exit code 3'],
    ['kill -9 $$', 'ended with SIGKILL'],
  ])(
    'a command that fails (%s) causes an error with the command, how it ended and the output',
    async (script, end) => {
      const error = await sh(`echo why >&2; ${script}`).catch((thrown: unknown) => thrown);
      if (!(error instanceof CommandError)) throw error;
      expect(error.message).toBe(`"/bin/sh -c echo why >&2; ${script}" ${end}\nwhy`);
      expect(error.output).toBe('why');
    },
  );

  test('a command returns only the end of a long output', async () => {
    const script = 'n=0; while [ $n -lt 9000 ]; do echo "line $n"; n=$((n+1)); done; exit 1';
    const error = await sh(script).catch((thrown: unknown) => thrown);
    if (!(error instanceof CommandError)) throw error;
    expect(error.output.length).toBeLessThanOrEqual(16_384);
    expect(error.output).toMatch(/^line \d+\n/);
    expect(error.output).toMatch(/line 8999$/);
  });

  test('a command whose program is missing causes an error', async () => {
    const missing = runCommand('/no/such/program', [], { env: {}, timeoutMs: 1_000 });
    await expect(missing).rejects.toThrow(/exit code 127\n.*\/no\/such\/program/);
  });
});

describe('a command that does not end', () => {
  const forever = '/bin/sleep 600 & echo $!; wait';

  test('a command is killed at its limit, with the processes that it started', async () => {
    const error = await sh(forever, { timeoutMs: 2_000 }).catch((thrown: unknown) => thrown);
    if (!(error instanceof CommandError)) throw error;
    expect(error.message).toMatch(/did not finish within 2 s/);
    const child = Number(error.output);
    expect(child).toBeGreaterThan(1);
    await expect.poll(() => isRunning(child)).toBe(false);
  });

  test('a command is killed by a signal, and rejects with the reason of the signal', async () => {
    const interrupt = new AbortController();
    const running = sh(forever, { signal: interrupt.signal });
    interrupt.abort(new Error('Ctrl-C'));
    await expect(running).rejects.toThrow('Ctrl-C');
  });

  test('a command is not started after the signal', async () => {
    await expect(
      sh('echo started', { signal: AbortSignal.abort(new Error('no')) }),
    ).rejects.toThrow('no');
  });

  test('a command is killed if the progress callback throws', async () => {
    const onProgress = () => {
      throw new Error('stalled');
    };
    await expect(sh(forever, { onProgress, progressIntervalMs: 5 })).rejects.toThrow('stalled');
  });
});

describe('findOnPath', () => {
  test('findOnPath returns the first executable file, and skips folders and plain files', async () => {
    const { folder } = await fakeMachine();
    const [a, b, c] = ['a', 'b', 'c'].map((name) => join(folder, name));
    await program(join(`${a}`, 'tool', 'inside'), 'true');
    await program(join(`${b}`, 'tool'), 'true');
    await program(join(`${c}`, 'tool'), 'true');
    expect(await findOnPath('tool', { PATH: `${a}::${b}:${c}` })).toBe(join(`${b}`, 'tool'));
    expect(await findOnPath('other', { PATH: `${a}:${b}` })).toBeUndefined();
    expect(await findOnPath('tool', {})).toBeUndefined();
  });
});
