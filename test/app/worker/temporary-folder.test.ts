// A worker without a writable folder for temporary files fails at start, and doctor reports the problem.
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { checkDisk } from '../../../src/app/doctor/local.ts';
import {
  assertTemporaryFolder,
  findUnwritableReason,
} from '../../../src/app/worker/temporary-folder.ts';
import { loadConfig } from '../../../src/settings/config.ts';
import { folderWith } from '../../cli/_folder.ts';

test('a writable folder is left as it was', async () => {
  const folder = folderWith();
  expect(await findUnwritableReason(folder)).toBeNull();
  await assertTemporaryFolder(folder);
  expect(readdirSync(folder)).toEqual([]);
});

test.runIf(process.platform === 'linux')(
  'a folder that cannot be created is reported as unwritable',
  async () => {
    expect(await findUnwritableReason('/proc/renderline/tmp')).toContain('ENOENT');
  },
);

test('an unwritable folder stops the worker, and the error contains the path and a fix', async () => {
  const folder = join(folderWith({ file: '' }), 'file');
  await expect(assertTemporaryFolder(folder)).rejects.toMatchObject({
    code: 'UNWRITABLE',
    exit: 2,
    message: expect.stringContaining(`cannot be written to ${folder}: E`),
    fix: expect.stringContaining('TMPDIR'),
  });
});

test('doctor warns about an unwritable cache, and fails for an unwritable temporary folder', async () => {
  const cwd = folderWith();
  const file = join(cwd, 'file');
  writeFileSync(file, '');
  const config = await loadConfig({ env: { RENDERLINE_CACHE_DIR: 'file' }, cwd });
  expect(await checkDisk(config)).toMatchObject([
    {
      state: 'warn',
      message: expect.stringContaining('cannot be written'),
      fix: expect.stringContaining('RENDERLINE_CACHE_DIR'),
    },
    { state: expect.stringMatching('ok|warn') },
  ]);
  vi.stubEnv('TMPDIR', file);
  expect(await checkDisk(config)).toMatchObject([{ state: 'warn' }, { state: 'fail', exit: 2 }]);
  vi.unstubAllEnvs();
});
