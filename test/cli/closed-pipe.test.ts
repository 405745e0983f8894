// A reader that closes its pipe before the command ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith } from './_folder.ts';

const main = fileURLToPath(new URL('../../dist/program/cli/main.js', import.meta.url));

test('a command whose reader closes the pipe ends with an error code', async () => {
  const child = spawn(process.execPath, [main, 'ui', '--port', '0'], {
    cwd: folderWith(),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  child.stdout.destroy();
  expect(await once(child, 'exit')).toEqual([141, null]);
});
