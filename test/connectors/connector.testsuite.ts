// The tests that every connector must pass. Each connector's own test calls this with a function that creates an
// empty one.
import { readFile, writeFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import type { Connector, OpenFile } from '../../src/connectors/connector.ts';
import { proveRecords } from '../../src/store/claims/prove-records.ts';
import { collect } from './_temp-folder.ts';

export interface ConnectorSetup {
  /** An empty connector, created for one test and cleaned up after it. */
  connect(): Promise<Connector>;
  /** A connector whose root does not exist. */
  connectNowhere(): Promise<Connector>;
  /** False for buckets, which people create. Folders are created by a write. */
  isBucket?: boolean;
}

async function wholeOf(file: OpenFile): Promise<Buffer> {
  const content = await file.content();
  if (content instanceof Uint8Array) return Buffer.from(content);
  return Buffer.concat((await collect(content)) as Uint8Array[]);
}

const text = (value: string) => new TextEncoder().encode(value);

const hostile: [string, string][] = [
  ['an empty path', ''],
  ['an absolute path', '/etc/passwd'],
  ['the parent folder', '../secret.txt'],
  ['a parent folder in the middle', 'a/../../secret.txt'],
  ['a parent folder at the end', 'a/..'],
  ['the folder itself', './a'],
  ['an empty segment', 'a//b'],
  ['a trailing slash', 'a/'],
  ['a NUL character', 'a/\0b'],
  ['a backslash', '..\\secret.txt'],
  ['a drive', 'C:secret.txt'],
  ['a drive with a slash', 'C:/secret.txt'],
  ['a device name', 'aux'],
  ['a device name with an extension', 'shoes/CON.glb'],
  ['a device name with spaces', 'nul .txt'],
  ['a numbered device name', 'com1.json'],
  ['a segment that is too long', `${'a'.repeat(256)}.glb`],
  ['a path that is too long', Array.from({ length: 300 }, () => 'abcd').join('/')],
  ['a value that is not text', 'caf\uFFFD.glb'],
];

export function testConnector(name: string, setup: ConnectorSetup): void {
  describe(`${name} as a connector`, () => {
    it('a written file is returned with its size', async () => {
      const connector = await setup.connect();
      expect(await connector.write('a/b/one.json', text('eins'))).toBe('written');
      expect((await connector.read('a/b/one.json')).toString()).toBe('eins');
      expect(await connector.stat('a/b/one.json')).toMatchObject({
        path: 'a/b/one.json',
        bytes: 4,
      });
    });

    it('a write replaces the whole file', async () => {
      const connector = await setup.connect();
      await connector.write('one', text('a long first version'));
      await connector.write('one', text('short'));
      expect((await connector.read('one')).toString()).toBe('short');
    });

    it('a conditional create succeeds once, and the second writer changes nothing', async () => {
      const connector = await setup.connect();
      expect(await connector.write('one', text('first'), { ifAbsent: true })).toBe('written');
      expect(await connector.write('one', text('second'), { ifAbsent: true })).toBe('exists');
      expect((await connector.read('one')).toString()).toBe('first');
    });

    it('exactly one of many writers creates a file', async () => {
      const connector = await setup.connect();
      const writers = Array.from({ length: 40 }, (_, index) => `writer ${index}`);
      const answers = await Promise.all(
        writers.map((who) => connector.write('claims/one', text(who), { ifAbsent: true })),
      );
      const winners = writers.filter((_, index) => answers[index] === 'written');
      expect(winners).toHaveLength(1);
      expect((await connector.read('claims/one')).toString()).toBe(winners[0]);
    });

    it('the check for records passes and leaves no file behind', async () => {
      const connector = await setup.connect();
      await proveRecords(connector);
      expect(await collect(connector.names('.renderline/proof.d'))).toEqual([]);
      expect(await collect(connector.names())).toEqual([]);
    });

    it('a reader never sees a partial file', async () => {
      const connector = await setup.connect();
      const versions = ['a', 'b'].map((letter) => text(letter.repeat(200_000)));
      await connector.write('one', text('a'.repeat(200_000)));
      let writing = true;
      const writer = (async () => {
        for (let round = 0; round < 60; round += 1) {
          await connector.write('one', versions[round % 2] ?? text(''));
        }
        writing = false;
      })();
      while (writing) {
        const seen = (await connector.read('one')).toString();
        expect([seen.length, new Set(seen).size]).toEqual([200_000, 1]);
      }
      await writer;
    });

    it('a listing contains all files at any depth, with paths relative to the root', async () => {
      const connector = await setup.connect();
      const paths = ['top.glb', 'a/one.glb', 'a/b/c/deep.glb', 'a b/ü@~+%.glb'];
      for (const path of paths) await connector.write(path, text(path));
      const entries = await collect(connector.list());
      expect(entries.map(({ path }) => path).sort()).toEqual([...paths].sort());
      for (const { path, bytes } of entries) expect(bytes).toBe(text(path).length);
      expect((await collect(connector.names())).sort()).toEqual([...paths].sort());
    });

    it('a listing of a folder contains only that folder', async () => {
      const connector = await setup.connect();
      for (const path of ['a/one', 'a/b/two', 'ab/three', 'four']) {
        await connector.write(path, text('x'));
      }
      expect((await collect(connector.names('a'))).sort()).toEqual(['a/b/two', 'a/one']);
      expect(await collect(connector.names('nothing/here'))).toEqual([]);
    });

    it('a listing after a cursor is in name order, with folders sorted among files', async () => {
      const connector = await setup.connect();
      const paths = [
        'A',
        'a',
        'a b',
        'a-b',
        'a.glb',
        'a/c',
        'a/c-d',
        'a/c/e',
        'a/d',
        'ab',
        'b/x',
        'é',
        '\u{1f45f}',
      ].filter((path) => !['a', 'a/c'].includes(path));
      for (const path of [...paths].reverse()) await connector.write(path, text('x'));
      expect(await collect(connector.names('', { after: '' }))).toEqual(paths);
      for (const [index, after] of paths.entries()) {
        const rest = await collect(connector.list('', { after }));
        expect(rest.map(({ path }) => path)).toEqual(paths.slice(index + 1));
      }
      expect(await collect(connector.names('', { after: 'a/c-e' }))).toEqual(
        paths.slice(paths.indexOf('a/c/e')),
      );
      expect(await collect(connector.names('a', { after: 'a/c-d' }))).toEqual(['a/c/e', 'a/d']);
    });

    it('a listing omits hidden names, but a hidden folder can be listed explicitly', async () => {
      const connector = await setup.connect();
      for (const path of ['seen', '.hidden', '.folder/inside', '.folder/.deeper/x']) {
        await connector.write(path, text('x'));
      }
      expect(await collect(connector.names())).toEqual(['seen']);
      expect(await collect(connector.names('.folder'))).toEqual(['.folder/inside']);
    });

    it('a listing contains only accepted files', async () => {
      const connector = await setup.connect();
      for (const path of ['a.glb', 'b.txt']) await connector.write(path, text('x'));
      const entries = await collect(
        connector.list('', { accept: (path) => path.endsWith('.glb') }),
      );
      expect(entries.map(({ path }) => path)).toEqual(['a.glb']);
    });

    it('an aborted listing stops', async () => {
      const connector = await setup.connect();
      await connector.write('one', text('x'));
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(collect(connector.list('', { signal }))).rejects.toThrow('enough');
    });

    it.each([
      ['small', 'streamed'],
      ['large', 'streamed'.repeat(100_000)],
    ])('opening a %s file returns all its bytes', async (_, content) => {
      const connector = await setup.connect();
      await connector.write('one', text(content));
      const file = await connector.open('one');
      expect(file.entry).toEqual(await connector.stat('one'));
      expect((await wholeOf(file)).toString()).toBe(content);
      expect(await file.isUnchanged()).toBe(true);
      await file.close();
    });

    it('a file that is replaced while it is open returns a single version or reports the change', async () => {
      const connector = await setup.connect();
      await connector.write('one', text('a'.repeat(300_000)));
      const file = await connector.open('one');
      await connector.write('one', text('b'.repeat(300_000)));
      const seen = (await wholeOf(file)).toString();
      if (await file.isUnchanged()) expect(seen).toBe('a'.repeat(300_000));
      await file.close();
      expect((await connector.stat('one'))?.bytes).toBe(300_000);
    });

    it('a file can be closed before all of it is read', async () => {
      const connector = await setup.connect();
      await connector.write('one', text('a'.repeat(5_000_000)));
      const file = await connector.open('one');
      const content = await file.content();
      if (!(content instanceof Uint8Array)) content.destroy();
      await file.close();
      expect((await connector.read('one')).length).toBe(5_000_000);
    });

    it.each([
      ['the beginning', 0, 4, '0123'],
      ['the middle', 3, 4, '3456'],
      ['the end', 8, 4, '89'],
      ['the whole file', 0, 100, '0123456789'],
    ])('part of a file can be read: %s', async (_, offset, length, expected) => {
      const connector = await setup.connect();
      await connector.write('one', text('0123456789'));
      const { entry, bytes } = await connector.readPart('one', offset, length);
      expect(Buffer.from(bytes).toString()).toBe(expected);
      expect(entry).toEqual(await connector.stat('one'));
    });

    it('different versions of a file are distinguished', async () => {
      const connector = await setup.connect();
      await connector.write('one', text('first'));
      const before = await connector.stat('one');
      await connector.write('one', text('the second'));
      const after = await connector.stat('one');
      expect({ ...after }).not.toEqual({ ...before });
      const listed = await collect(connector.list());
      expect(listed).toEqual([after]);
    });

    it('a file larger than the limit is not read at once', async () => {
      const connector = await setup.connect();
      await connector.write('one', text('12345'));
      await expect(connector.read('one', 4)).rejects.toMatchObject({ code: 'TOO_LARGE' });
      expect((await connector.read('one', 5)).toString()).toBe('12345');
    });

    it('a missing file is reported', async () => {
      const connector = await setup.connect();
      expect(await connector.stat('nothing')).toBeNull();
      expect(await connector.stat('no/folder/either')).toBeNull();
      await expect(connector.read('nothing')).rejects.toMatchObject({ code: 'FILE_GONE' });
      await expect(connector.open('nothing')).rejects.toMatchObject({ code: 'FILE_GONE' });
      await expect(connector.readPart('nothing', 0, 9)).rejects.toMatchObject({
        code: 'FILE_GONE',
      });
    });

    it('a file can be removed, and removing a missing file is not an error', async () => {
      const connector = await setup.connect();
      await connector.write('a/one', text('x'));
      await connector.remove('a/one');
      await connector.remove('a/one');
      await connector.remove('b/never');
      expect(await connector.stat('a/one')).toBeNull();
    });

    it('a missing root is reported, and is not taken for a missing file', async () => {
      const connector = await setup.connectNowhere();
      const code = setup.isBucket === true ? 'BUCKET_NOT_FOUND' : 'FOLDER_NOT_FOUND';
      await expect(collect(connector.list())).rejects.toMatchObject({ code });
      await expect(connector.stat('a')).rejects.toMatchObject({ code });
      await expect(connector.read('a')).rejects.toMatchObject({ code });
    });

    it.runIf(setup.isBucket === true)('a bucket is never created', async () => {
      const connector = await setup.connectNowhere();
      const missing = { code: 'BUCKET_NOT_FOUND', fix: expect.stringMatching(/./) };
      await expect(connector.write('a', text('x'))).rejects.toMatchObject(missing);
      await expect(connector.write('a', text('x'), { ifAbsent: true })).rejects.toMatchObject(
        missing,
      );
      await expect(connector.read('a')).rejects.toMatchObject(missing);
      await expect(connector.stat('a')).rejects.toMatchObject(missing);
      await expect(connector.remove('a')).rejects.toMatchObject(missing);
      const staged = await connector.stage('a');
      await writeFile(staged.file, 'x');
      await expect(staged.commit()).rejects.toMatchObject(missing);
      await staged.discard();
    });

    it.runIf(setup.isBucket !== true)('a write creates a missing root', async () => {
      const connector = await setup.connectNowhere();
      await connector.write('a/one', text('x'));
      expect(await collect(connector.names())).toEqual(['a/one']);
    });

    it('a staged file is visible only when it is complete', async () => {
      const connector = await setup.connect();
      const staged = await connector.stage('out/picture.jpg');
      await writeFile(staged.file, 'half');
      expect(await connector.stat('out/picture.jpg')).toBeNull();
      expect(await collect(connector.names())).toEqual([]);
      await writeFile(staged.file, 'all of it');
      const entry = await staged.commit();
      expect(entry).toMatchObject({ path: 'out/picture.jpg', bytes: 9 });
      expect(entry).toEqual(await connector.stat('out/picture.jpg'));
      await staged.discard();
      expect((await connector.read('out/picture.jpg')).toString()).toBe('all of it');
    });

    it('a staged file can be written in pieces', async () => {
      const connector = await setup.connect();
      const staged = await connector.stage('out/picture.jpg');
      const pieces = Array.from({ length: 7 }, (_, index) => Buffer.alloc(90_001, index));
      for (const piece of pieces) await staged.write(piece);
      expect((await readFile(staged.file)).equals(Buffer.concat(pieces))).toBe(true);
      expect((await staged.commit()).bytes).toBe(7 * 90_001);
      expect((await connector.read('out/picture.jpg')).equals(Buffer.concat(pieces))).toBe(true);
    });

    it('an empty staged file is accepted', async () => {
      const connector = await setup.connect();
      const staged = await connector.stage('empty');
      await staged.write(new Uint8Array(0));
      expect((await staged.commit()).bytes).toBe(0);
      expect(await connector.stat('empty')).toMatchObject({ bytes: 0 });
    });

    it('discarding a staged file keeps the previous file', async () => {
      const connector = await setup.connect();
      await connector.write('out/picture.jpg', text('old'));
      const staged = await connector.stage('out/picture.jpg');
      await writeFile(staged.file, 'new');
      await staged.discard();
      await staged.discard();
      expect((await connector.read('out/picture.jpg')).toString()).toBe('old');
      await expect(readFile(staged.file)).rejects.toThrow('ENOENT');
    });

    it.each(hostile)('a hostile path is refused by every operation: %s', async (_, path) => {
      const connector = await setup.connect();
      const refused = { name: 'ConnectorError', code: 'HOSTILE_PATH', path };
      await expect(connector.read(path)).rejects.toMatchObject(refused);
      await expect(connector.open(path)).rejects.toMatchObject(refused);
      await expect(connector.stat(path)).rejects.toMatchObject(refused);
      await expect(connector.write(path, text('x'))).rejects.toMatchObject(refused);
      await expect(connector.stage(path)).rejects.toMatchObject(refused);
      await expect(connector.remove(path)).rejects.toMatchObject(refused);
      if (path !== '') {
        await expect(collect(connector.list(path))).rejects.toMatchObject(refused);
      }
    });

    it('the description of the connector contains no secret', async () => {
      const connector = await setup.connect();
      expect(connector.describe()).toMatch(/\w/);
      expect(connector.describe()).not.toMatch(/key|token|password/i);
    });
  });
}
