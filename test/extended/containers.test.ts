// The installation in containers: only with RENDERLINE_CONTAINERS=1, and with images that were built before.
// `npm run containers` builds them and does the same.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isAsked = process.env['RENDERLINE_CONTAINERS'] === '1';

test.skipIf(!isAsked)(
  'services start healthy, and runs survive kills, restarts and the loss of databases and bucket',
  async () => {
    const words = ['dist/scripts/containers.js', '--no-build'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    expect(stdout).toMatch(/^ok {2}all goes down and comes up again/m);
    expect(stdout).toMatch(/^ok {2}databases and bucket are lost and restored/m);
    expect(stdout).toMatch(/^ok {2}a receiver without the key is not ready/m);
  },
  2_400_000,
);
