// A folder is created with its parents, and what the file system refuses is an error.
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createFolder } from '../../src/disk/create-folder.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'create-folder-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('createFolder', () => {
  it('createFolder creates missing parents and returns the first created folder', async () => {
    const path = join(folder, 'a', 'b', 'c');
    expect(await createFolder(path)).toBe(join(folder, 'a'));
    expect((await stat(path)).isDirectory()).toBe(true);
  });

  it('createFolder creates all folders with the given mode', async () => {
    const path = join(folder, 'private', 'inner');
    await createFolder(path, 0o700);
    const modes = await Promise.all([path, join(folder, 'private')].map((each) => stat(each)));
    expect(modes.map(({ mode }) => mode & 0o777)).toEqual([0o700, 0o700]);
  });

  it('createFolder returns undefined if the folder exists', async () => {
    expect(await createFolder(folder)).toBeUndefined();
    expect(await createFolder('/')).toBeUndefined();
  });

  it('createFolder creates a folder once when several callers create it', async () => {
    // One caller may find the parent missing, and another one create it before the first looks again.
    for (let round = 0; round < 100; round += 1) {
      const path = join(folder, `${round}`, 'b', 'c');
      const created = await Promise.all(Array.from({ length: 8 }, () => createFolder(path)));
      expect(created).toContain(join(folder, `${round}`));
      expect((await stat(path)).isDirectory()).toBe(true);
    }
  });

  it.each([
    ['the path is a file', 'file', 'EEXIST'],
    ['a parent is a file', 'file/inner', 'ENOTDIR'],
  ])('createFolder throws if %s', async (_case, name, code) => {
    await writeFile(join(folder, 'file'), '');
    await expect(createFolder(join(folder, name))).rejects.toMatchObject({ code });
  });

  it.runIf(process.platform === 'linux')(
    'createFolder throws if the file system accepts no new folders, as /proc and automounted folders do',
    async () => {
      const refused = createFolder('/proc/renderline/models');
      await expect(refused).rejects.toMatchObject({ code: 'ENOENT', path: '/proc/renderline' });
    },
  );
});
