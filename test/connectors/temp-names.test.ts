// Temporary files are deleted once their writer has ended, and never while they are written.
import { createHash } from 'node:crypto';
import { mkdir, readdir, utimes } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  createLeftoverSchedule,
  isLeftoverFile,
  releaseTempName,
  removeLeftovers,
  reserveTempName,
} from '../../src/connectors/disk/temp-names.ts';
import { putFile, tempFolder } from './_temp-folder.ts';

const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
const dayMs = 24 * 60 * 60_000;

describe('deleting a temporary file', () => {
  const ended = reserveTempName();
  releaseTempName(ended);

  it.each([
    ['of a dead process on this machine', `.rl-${host}-4194999-0123456789abcdef.tmp`, 0, true],
    [
      'of a running process on this machine',
      `.rl-${host}-${process.ppid}-0123456789abcdef.tmp`,
      0,
      false,
    ],
    [
      'of another process that had our pid',
      `.rl-${host}-${process.pid}-0123456789abcdef.tmp`,
      0,
      false,
    ],
    ['of our own that is being written', reserveTempName(), 0, false],
    ['of our own that could not be removed', ended, 0, true],
    ['of another machine', '.rl-00000000-1-0123456789abcdef.tmp', dayMs - 1, false],
    ['of another machine, a day later', '.rl-00000000-1-0123456789abcdef.tmp', dayMs, true],
    ['of our own that has been written to for a day', reserveTempName(), dayMs, false],
    ['with another name', '.rl-notes.tmp', 9 * dayMs, false],
    ['of another program', '.other-1234.tmp', 9 * dayMs, false],
  ])(
    'a leftover temporary file is recognized by its name and age: a file %s',
    (_, name, ageMs, expected) => {
      expect(isLeftoverFile(name, 1_000, 1_000 + ageMs)).toBe(expected);
    },
  );
});

it('only leftover files are deleted', async () => {
  const folder = await tempFolder();
  const filling = reserveTempName();
  const gone = `.rl-${host}-4194999-0123456789abcdef.tmp`;
  for (const name of [filling, gone, 'shoe.png']) await putFile(folder, name);
  await utimes(join(folder, filling), 1, 1);
  await removeLeftovers(folder);
  expect((await readdir(folder)).sort()).toEqual([filling, 'shoe.png'].sort());
});

it('a leftover that cannot be deleted and a folder that does not exist cause no error', async () => {
  const folder = await tempFolder();
  // Not even root can delete a folder as if it were a file.
  const undeletable = `.rl-${host}-4194998-0123456789abcdef.tmp`;
  await mkdir(join(folder, undeletable));
  await putFile(folder, `.rl-${host}-4194999-0123456789abcdef.tmp`);
  await removeLeftovers(folder);
  expect(await readdir(folder)).toEqual([undeletable]);
  await expect(removeLeftovers(join(folder, 'not-there'))).resolves.toBeUndefined();
});

it('each folder is searched at most once per interval', () => {
  const looks = createLeftoverSchedule(100);
  expect([0, 50, 99, 100, 150, 250].map((atMs) => looks('a', atMs))).toEqual([
    true,
    false,
    false,
    true,
    false,
    true,
  ]);
  expect(looks('b', 150)).toBe(true);
});
