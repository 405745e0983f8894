// A worker with a low limit of open files fails at start, because Node would crash it later.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkOpenFiles } from '../../src/app/doctor/local.ts';
import {
  assertOpenFilesLimit,
  loadOrExplain,
  readOpenFilesLimit,
} from '../../src/app/open-files.ts';
import { folderWith } from '../cli/_folder.ts';

test.each([
  ['Max open files            64                   64                   files', 64],
  [
    'Max open files            unlimited            unlimited            files',
    Number.POSITIVE_INFINITY,
  ],
  ['Max processes             64                   64                   processes', null],
])('the limit is read from "%s"', async (line, limit) => {
  const file = join(folderWith(), 'limits');
  writeFileSync(file, `Limit     Soft Limit   Hard Limit   Units\n${line}\n`);
  expect(await readOpenFilesLimit(file)).toBe(limit);
});

test('a system without this limit passes all checks', async () => {
  expect(await readOpenFilesLimit(join(folderWith(), 'nothing'))).toBeNull();
  expect(() => assertOpenFilesLimit(null)).not.toThrow();
  expect(checkOpenFiles(null)).toEqual([]);
});

test('a low limit stops a worker at its start, and doctor warns about it', () => {
  expect(() => assertOpenFilesLimit(64)).toThrow(
    expect.objectContaining({
      code: 'TOO_MANY_OPEN_FILES',
      message: 'This process may open only 64 files at the same time; a worker needs 256.',
      fix: expect.stringContaining('ulimit -n'),
      exit: 2,
    }),
  );
  expect(() => assertOpenFilesLimit(256)).not.toThrow();
  expect(checkOpenFiles(64)).toMatchObject([{ name: 'open files', state: 'warn' }]);
  expect(checkOpenFiles(1_024)).toMatchObject([{ name: 'open files', state: 'ok' }]);
});

test('a package that cannot be loaded under a low limit is not reported as missing', async () => {
  const missing = new Error('Cannot find package');
  const load = () => Promise.reject(missing);
  await expect(loadOrExplain(64, load)).rejects.toMatchObject({ code: 'TOO_MANY_OPEN_FILES' });
  await expect(loadOrExplain(1_024, load)).rejects.toBe(missing);
  expect(await loadOrExplain(64, () => Promise.resolve('loaded'))).toBe('loaded');
});
