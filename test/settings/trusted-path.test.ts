// Tests who can change a file: owners and modes of the file, of its parent folders, and of link targets.
import { chmodSync, chownSync, mkdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findTrustProblem } from '../../src/settings/trusted-path.ts';
import { folderWith } from '../cli/_folder.ts';

const uid = process.getuid?.() ?? 0;
const isRoot = uid === 0;

/** A file two folders deep, and a second file next to these folders. */
function place() {
  const root = realpathSync(folderWith({ 'a/b/file': '', 'other/file': '' }));
  return { root, folder: join(root, 'a', 'b'), file: join(root, 'a', 'b', 'file') };
}

describe('a file that no other user can change', () => {
  test('a file is trusted even in a folder of the user below /tmp', () => {
    expect(findTrustProblem(place().file)).toBeNull();
  });

  test.each([0o644, 0o600, 0o755])('a trusted file may have the mode %o', (mode) => {
    const { file } = place();
    chmodSync(file, mode);
    expect(findTrustProblem(file)).toBeNull();
  });

  test('a trusted file may be in a sticky folder that all users can write', () => {
    const { file, folder } = place();
    chmodSync(folder, 0o1777);
    expect(findTrustProblem(file)).toBeNull();
  });

  test('a trusted file may belong to root', () => {
    expect(findTrustProblem('/etc/passwd')).toBeNull();
  });
});

describe('a file that is not trusted', () => {
  test.each([
    ['the file', 'file', 0o646, 'can be written by all users'],
    ['its folder', 'folder', 0o777, 'can be written by all users'],
    ['a folder further up', 'root', 0o757, 'can be written by all users'],
  ] as const)('a file is not trusted if all users can write %s', (_what, at, mode, why) => {
    const made = place();
    chmodSync(made[at], mode);
    expect(findTrustProblem(made.file)).toBe(`${made[at]} ${why}`);
  });

  test.skipIf(!isRoot)('a file is not trusted if another group can write to it', () => {
    const { file } = place();
    chownSync(file, uid, 4321);
    chmodSync(file, 0o664);
    expect(findTrustProblem(file)).toBe(`${file} can be written by its group`);
  });

  test.skipIf(isRoot)(
    'a file is not trusted if it belongs neither to root nor to this user',
    () => {
      const { file } = place();
      expect(findTrustProblem(file, uid + 1)).toMatch(/belongs to another user$/);
    },
  );

  test.skipIf(!isRoot)(
    'a file is not trusted if it or a folder above it belongs to another user',
    () => {
      for (const at of ['file', 'folder', 'root'] as const) {
        const made = place();
        chownSync(made[at], 4321, 4321);
        expect(findTrustProblem(made.file)).toBe(`${made[at]} belongs to another user`);
        expect(findTrustProblem(made.file, 4321)).toBeNull();
      }
    },
  );

  test('a link is not trusted if others can write its folder or the folder of its target', () => {
    const { root, folder } = place();
    const link = join(folder, 'link');
    symlinkSync(join(root, 'other', 'file'), link);
    expect(findTrustProblem(link)).toBeNull();
    chmodSync(join(root, 'other'), 0o777);
    expect(findTrustProblem(link)).toBe(`${join(root, 'other')} can be written by all users`);
    chmodSync(join(root, 'other'), 0o755);
    chmodSync(folder, 0o777);
    expect(findTrustProblem(link)).toBe(`${folder} can be written by all users`);
  });

  test('a missing file is an error', () => {
    mkdirSync(join(place().root, 'empty'));
    expect(() => findTrustProblem(join(place().root, 'empty', 'none'))).toThrow(/ENOENT/);
  });
});
