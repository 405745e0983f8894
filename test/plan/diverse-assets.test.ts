// Tests which assets a canary contains: those that differ most by folder, type and size.
import { describe, expect, it, test } from 'vitest';
import { chooseDiverse } from '../../src/plan/shard/diverse-assets.ts';

/** `path bytes`, by path as in a listing. */
function assetsOf(...files: string[]) {
  return files.map((file) => {
    const [path = '', bytes = '5000'] = file.split(' ');
    return { key: path, source: { path, bytes: Number(bytes), mtimeMs: 1, version: '1' } };
  });
}

const keys = (assets: readonly { key: string }[]) => assets.map(({ key }) => key);
const alike = Array.from({ length: 40 }, (_, index) => `a/${String(index).padStart(2, '0')}.glb`);

test.each<[string, string[], number, string[]]>([
  [
    'one asset from each folder',
    ['a/1.glb', 'a/2.glb', 'b/1.glb', 'c/1.glb'],
    3,
    ['a/1.glb', 'b/1.glb', 'c/1.glb'],
  ],
  ['one asset of each type', ['1.glb', '2.glb', '3.FBX', '4.obj'], 3, ['1.glb', '3.FBX', '4.obj']],
  ['one asset of each type, ignoring case', ['1.glb', '2.GLB', '3.fbx'], 2, ['1.glb', '3.fbx']],
  [
    'one asset of each size',
    ['1.glb 900', '2.glb 950', '3.glb 90000', '4.glb 9000000'],
    3,
    ['1.glb', '3.glb', '4.glb'],
  ],
  [
    'assets that are new in more properties first',
    ['a/1.glb', 'a/2.fbx', 'b/3.obj 9'],
    2,
    ['a/1.glb', 'b/3.obj'],
  ],
  [
    'one asset from each parent folder',
    ['a/x/1.glb', 'a/y/1.glb', 'b/z/1.glb'],
    2,
    ['a/x/1.glb', 'b/z/1.glb'],
  ],
  [
    'one asset of each kind again, after all kinds were taken',
    ['a/1.glb', 'a/2.glb', 'a/3.glb', 'b/1.glb', 'b/2.glb'],
    4,
    ['a/1.glb', 'b/1.glb', 'a/2.glb', 'b/2.glb'],
  ],
  ['the first assets if all are alike', alike, 30, alike.slice(0, 30)],
  ['an asset with a known size before those without one', ['a 0', 'b 0', 'c 100'], 2, ['c', 'a']],
  ['all assets if there are no more', ['a/1.glb', 'a/2.glb'], 5, ['a/1.glb', 'a/2.glb']],
  ['no assets if there are none', [], 2, []],
])('a canary takes %s', (_name, files, count, expected) => {
  const assets = assetsOf(...files);
  expect(keys(chooseDiverse(assets, count))).toEqual(expected);
  // The same assets always lead to the same choice.
  expect(chooseDiverse(assets, count)).toEqual(chooseDiverse(structuredClone(assets), count));
});

describe('a canary next to chosen assets', () => {
  it('the canary takes an asset that differs from the chosen ones', () => {
    const [first, ...others] = assetsOf('a/1.glb', 'a/2.glb', 'b/1.glb', 'b/2.fbx');
    expect(keys(chooseDiverse(others, 1, first ? [first] : []))).toEqual(['b/2.fbx']);
  });
});
