// Durable files survive a power cut: first the bytes of a file are flushed, then its name and those of its folders.
import { fsyncSync, readdirSync, readlinkSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { flushFolder } from '../../src/connectors/disk/folder-flush.ts';
import { LocalConnector } from '../../src/connectors/local.ts';
import { DiskFile } from '../../src/disk/disk-file.ts';
import { putFile, tempFolder } from './_temp-folder.ts';

interface Flush {
  /** Relative to the folder of the test. */
  path: string;
  /** Names in the folder. */
  names: string[];
}

let root: string;
let flushes: Flush[];
let failWith: Error | null;

/** Records what is flushed, and the content of a folder at that moment. */
beforeEach(async () => {
  root = await tempFolder();
  flushes = [];
  failWith = null;
  const spy = vi.spyOn(DiskFile.prototype, 'sync').mockImplementation(async function (
    this: DiskFile,
  ) {
    const file = readlinkSync(`/proc/self/fd/${this.fd}`);
    const isFolder = this.stat().isDirectory();
    const names = isFolder ? readdirSync(file).map(plain) : [];
    flushes.push({ path: plain(file.slice(root.length + 1)), names });
    if (failWith && isFolder) throw failWith;
    fsyncSync(this.fd);
  });
  onTestFinished(() => spy.mockRestore());
});

const plain = (name: string) => name.replace(/\.rl-.*\.tmp$/, 'TEMP');
const text = (value: string) => new TextEncoder().encode(value);
const connect = () => new LocalConnector({ type: 'local', path: join(root, 'out') });

describe.skipIf(process.platform !== 'linux')('a flush', () => {
  it('the flush of a delivered file covers its bytes and then its name in the folder', async () => {
    await mkdir(join(root, 'out'));
    const staged = await connect().stage('shoe.png');
    await staged.write(text('picture'));
    expect(flushes).toEqual([]);
    await staged.commit();
    expect(flushes).toEqual([
      { path: 'out/TEMP', names: [] },
      { path: 'out', names: ['shoe.png'] },
    ]);
  });

  it('the flush of a delivered file covers each new folder in its parent', async () => {
    const staged = await connect().stage('a/b/shoe.png');
    await staged.commit();
    expect(flushes).toEqual([
      { path: '', names: ['out'] },
      { path: 'out', names: ['a'] },
      { path: 'out/a', names: ['b'] },
      { path: 'out/a/b/TEMP', names: [] },
      { path: 'out/a/b', names: ['shoe.png'] },
    ]);
  });

  it.each([
    ['of a record covers its bytes and then its name', { durable: true }, ['TEMP', ''], ['one']],
    [
      'of an intent covers its bytes and then its name',
      { durable: true, ifAbsent: true },
      ['TEMP', ''],
      ['one'],
    ],
    ['is skipped for files that need not be durable', {}, [], []],
  ])('the flush %s', async (_, options, paths, names) => {
    await mkdir(join(root, 'out'));
    await connect().write('one', text('x'), options);
    expect(flushes.map(({ path }) => path)).toEqual(paths.map((path) => join('out', path)));
    expect(flushes.at(-1)?.names ?? []).toEqual(names);
  });

  it('a flush covers the name of a file that another writer has just created', async () => {
    await putFile(root, 'out/one');
    const answer = await connect().write('one', text('x'), { durable: true, ifAbsent: true });
    expect(answer).toBe('exists');
    expect(flushes.at(-1)).toEqual({ path: 'out', names: ['one'] });
  });

  it('one flush covers many files of a folder, and starts after their names were created', async () => {
    const connector = connect();
    await connector.write('first', text('x'));
    const files = Array.from({ length: 64 }, (_, index) => `${index}.png`);
    await Promise.all(
      files.map(async (path) => {
        await (await connector.stage(path)).commit();
        // The name is durable by now, because a flush of the folder started after its creation.
        expect(flushes.some((flush) => flush.names.includes(path))).toBe(true);
      }),
    );
    const ofFolder = flushes.filter(({ path }) => path === 'out');
    expect(ofFolder.length).toBeLessThan(files.length / 2);
  });

  it.each(['EINVAL', 'ENOTSUP', 'EPERM'])(
    'a flush is skipped on file systems that do not support it (%s)',
    async (code) => {
      failWith = Object.assign(new Error('no'), { code });
      await mkdir(join(root, 'out'));
      expect(await connect().write('one', text('x'), { durable: true })).toBe('written');
    },
  );

  it('failing to flush the name of a file is an error', async () => {
    await mkdir(join(root, 'out'));
    failWith = Object.assign(new Error('broken'), { code: 'EIO' });
    const staged = await connect().stage('shoe.png');
    await expect(staged.commit()).rejects.toMatchObject({ code: 'UNWRITABLE' });
    failWith = null;
    // The error is not repeated to the next caller.
    await flushFolder(join(root, 'out'));
  });
});
