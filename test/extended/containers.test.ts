// The installation in containers, where somebody asks for it: RENDERLINE_CONTAINERS=1, with the images built before.
// `npm run containers` builds them and does the same.
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const isAsked = process.env['RENDERLINE_CONTAINERS'] === '1';

test.skipIf(!isAsked)(
  'all services come up healthy; runs survive a killed worker, restarts, all going down and up, and the loss of databases and bucket',
  async () => {
    const words = ['dist/scripts/containers.js', '--no-build'];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: root });
    expect(stdout).toMatch(/^ok {2}all goes down and comes up again/m);
    expect(stdout).toMatch(/^ok {2}databases and bucket are lost and restored/m);
    expect(stdout).toMatch(/^ok {2}a receiver without the key is not ready/m);
  },
  2_400_000,
);
