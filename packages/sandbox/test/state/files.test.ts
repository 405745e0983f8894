// Stored files: equal contents do not affect each other.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Files } from '../../src/state/files.ts';

let root: string;
let files: Files;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'renderline-files-'));
  files = new Files(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

async function* body(text: string) {
  yield Buffer.from(text);
}

const put = (key: string, text: string) => files.write(key, body(text), text.length, 1_000);
const read = async (key: string) => (await files.read(key)).toString();

describe('files with the same content', () => {
  beforeEach(async () => {
    await put('a', 'same');
    await put('b', 'same');
  });

  it('files with the same content are all stored, and no other files are', async () => {
    expect([await read('a'), await read('b')]).toEqual(['same', 'same']);
    expect(readdirSync(root).toSorted()).toEqual(['a', 'b']);
  });

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])(
    'files with the same content are independent: %s is changed and removed, and %s stays',
    async (one, other) => {
      await put(one, 'else');
      expect([await read(one), await read(other)]).toEqual(['else', 'same']);
      await files.remove(one);
      expect(await read(other)).toBe('same');
      await put('c', 'same');
      await put('d', 'else');
      expect([await read('c'), await read('d')]).toEqual(['same', 'else']);
    },
  );

  it('files with the same content can be stored again under the same key', async () => {
    await put('b', 'same');
    expect(await read('b')).toBe('same');
    expect(readdirSync(root).toSorted()).toEqual(['a', 'b']);
  });

  it('all files can be removed together', async () => {
    await files.clear();
    await put('c', 'same');
    expect(readdirSync(root)).toEqual(['c']);
  });
});
