// Files for a bucket or a server are staged in a private folder of this process.
import { mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { stageLocally } from '../../src/connectors/staging.ts';
import { deadPid } from '../temporal/_fake-machine.ts';
import { tempFolder } from './_temp-folder.ts';

const stage = () => stageLocally('shoe.png', () => Promise.reject(new Error('not sent')));
const modeOf = async (path: string) => (await stat(path)).mode & 0o777;

let folder = '';
afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a staged file', () => {
  it('a staged file is private to this user and stored in a folder of this process', async () => {
    const staged = await stage();
    folder = dirname(staged.file);
    expect(await modeOf(folder)).toBe(0o700);
    expect(folder).toContain(`-${process.pid}-`);
    await staged.discard();
  });

  it('a staged file is not created if a link has replaced the folder', async () => {
    const staged = await stage();
    folder = dirname(staged.file);
    await staged.discard();
    await rm(folder, { recursive: true });
    const others = await tempFolder();
    await symlink(others, folder);
    await expect(stage()).rejects.toThrow(/belongs to another user/);
    expect(await readdir(others)).toEqual([]);
  });
});

it('creating a folder deletes those of killed processes and keeps the others', async () => {
  const first = await stage();
  folder = dirname(first.file);
  await first.discard();
  await rm(folder, { recursive: true });
  const ownPart = `-${process.pid}-`;
  const dead = folder.replace(ownPart, `-${await deadPid()}-`);
  const lives = folder.replace(ownPart, `-${process.ppid}-`);
  for (const one of [dead, lives]) {
    await mkdir(one);
    await writeFile(join(one, 'picture.tmp'), 'confidential');
  }
  await (await stage()).discard();
  const names = await readdir(tmpdir());
  await rm(lives, { recursive: true });
  expect(names).not.toContain(basename(dead));
  expect(names).toContain(basename(lives));
});
