// An open file is a descriptor number, which the system reuses for the next file once it is closed.
import { pbkdf2 as derive } from 'node:crypto';
import { fstatSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DiskFile, NewFile } from '../../src/disk/disk-file.ts';

const bytes = Buffer.alloc(8 * 1024 ** 2, 'a');
const closed = { code: 'EBADF' };
/** Keeps libuv's thread pool busy. */
const pbkdf2 = promisify(derive);
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'disk-file-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
});

describe('a new file', () => {
  it('a new file contains what was written in pieces, and can be read before it is closed', async () => {
    const file = await NewFile.create(join(folder, 'new'));
    await file.write(Buffer.from('one, '));
    await file.write(Buffer.from('two'));
    expect((await file.readAt(3, 100)).toString()).toBe(', two');
    expect(file.stat().size).toBe(8);
    await file.sync();
    await file.end();
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('one, two');
  });

  it('a new file is not created if a file exists', async () => {
    await writeFile(join(folder, 'new'), 'old');
    await expect(NewFile.create(join(folder, 'new'))).rejects.toMatchObject({ code: 'EEXIST' });
    expect(await readFile(join(folder, 'new'), 'utf8')).toBe('old');
  });

  it.each(['close', 'end'] as const)(
    'a file after %s keeps its descriptor number until a waiting write has ended',
    async (how) => {
      const file = await NewFile.create(join(folder, 'new'));
      const busy = Array.from({ length: 16 }, () => pbkdf2('a', 'b', 20_000, 64, 'sha512'));
      const writing = file.write(bytes);
      await file[how]();
      const others = await Promise.all(
        Array.from({ length: 8 }, (_, at) => NewFile.create(join(folder, `other-${at}`))),
      );
      await writing;
      await Promise.all(busy);
      await Promise.all(others.map((other) => other.end()));
      expect((await readFile(join(folder, 'new'))).equals(bytes)).toBe(true);
      for (const at of others.keys()) {
        expect(await readFile(join(folder, `other-${at}`), 'utf8')).toBe('');
      }
    },
  );

  it('a file is closed only after a running write has finished', async () => {
    const file = await NewFile.create(join(folder, 'new'));
    const busy = Array.from({ length: 16 }, () => pbkdf2('a', 'b', 20_000, 64, 'sha512'));
    const writing = file.write(bytes);
    await file.end();
    expect(() => fstatSync(file.fd)).toThrow(expect.objectContaining(closed));
    expect((await readFile(join(folder, 'new'))).equals(bytes)).toBe(true);
    await Promise.all([writing, ...busy]);
  });

  it.each([
    ['write', (file: NewFile) => file.write(Buffer.from('more'))],
    ['at', (file: NewFile) => file.readAt(0, 1)],
    ['sync', (file: NewFile) => file.sync()],
  ])('a closed file refuses %s, even if another file has reused its descriptor', async (_, ask) => {
    const file = await NewFile.create(join(folder, 'new'));
    file.close();
    const next = await NewFile.create(join(folder, 'next'));
    expect(next.fd).toBe(file.fd);
    await expect(ask(file)).rejects.toMatchObject(closed);
    file.close();
    await file.end();
    expect(next.stat().size).toBe(0);
    next.close();
  });

  it('a file without pending writes is closed immediately', async () => {
    const file = await NewFile.create(join(folder, 'new'));
    await file.write(Buffer.from('all'));
    await file.sync();
    const ending = file.end();
    expect(() => fstatSync(file.fd)).toThrow(expect.objectContaining(closed));
    await ending;
  });
});

it('a file that is shorter than requested returns the bytes that exist', async () => {
  await writeFile(join(folder, 'short'), 'short');
  const file = await DiskFile.open(join(folder, 'short'));
  expect((await file.readAt(0, 100)).toString()).toBe('short');
  expect((await file.readAt(50, 10)).length).toBe(0);
  file.close();
});
