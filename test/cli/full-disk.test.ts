// Output and messages of a command whose reader is gone, or on a full disk. Only Linux has a file that is always full.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { folderWith } from './_folder.ts';

const main = fileURLToPath(new URL('../../dist/program/cli/main.js', import.meta.url));
const fullFile = '/dev/full';

test('a command that is done keeps its exit code if the reader closes the pipe early', async () => {
  const child = spawn(process.execPath, [main, 'schema'], { cwd: folderWith() });
  child.stdout.destroy();
  expect(await Promise.all([text(child.stderr), once(child, 'exit')])).toEqual(['', [0, null]]);
});

describe.runIf(existsSync(fullFile))('on a full disk', () => {
  const start = (args: string[], full: 'stdout' | 'stderr') => {
    const file = openSync(fullFile, 'w');
    const stdio = ['ignore', ...(full === 'stdout' ? [file, 'pipe'] : ['pipe', file])];
    return spawn(process.execPath, [main, ...args], {
      cwd: folderWith(),
      stdio: stdio as ['ignore', 'pipe', 'pipe'],
    });
  };

  test('a command whose output is lost fails and says so', async () => {
    const child = start(['--version'], 'stdout');
    const [messages, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
    expect(messages).toBe(
      'error The output cannot be written: ENOSPC: no space left on device, write\n  Free some disk space.\n',
    );
    expect(code).toBe(75);
  });

  test('a command whose messages are lost ends as usual', async () => {
    const child = start(['--no-such-option'], 'stderr');
    expect(await once(child, 'exit')).toEqual([2, null]);
  });
});
