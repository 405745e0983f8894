// File names of uploads: unique within a request, whatever the folders.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assignUploadNames, findFileType } from '../../src/engine/uploads/upload-names.ts';
import type { Asset } from '../../src/plan/types.ts';
import { asset } from '../plan/_steps.ts';

describe('fileTypeOf', () => {
  it.each([
    ['shoe.glb', 'glb'],
    ['a/b/SHOE.GLB', 'glb'],
    ['shoe.v2.usdz', 'usdz'],
    ['shoe', null],
    ['shoe.', null],
    ['shoe.123456789', null],
    ['shoe.g-b', null],
    ['.glb', 'glb'],
  ])('the type of %s is detected', (path, type) => {
    expect(findFileType(path)).toBe(type);
  });
});

describe('uploadNames', () => {
  const at = (...paths: string[]): Asset[] =>
    paths.map((path) => ({ ...asset(path), source: { ...asset(path).source, path } }));
  const names = (...paths: string[]) => [...assignUploadNames(at(...paths)).values()];

  it.each([
    [
      ['a.glb', 'b.glb'],
      ['a.glb', 'b.glb'],
    ],
    [
      ['x/a.glb', 'y/a.glb'],
      ['x_a.glb', 'y_a.glb'],
    ],
    [
      ['x/a.glb', 'x_a.glb'],
      ['x_a.glb', 'x_a-2.glb'],
    ],
    [
      ['x/a.glb', 'x_a.glb', 'X_A.GLB'],
      ['x_a.glb', 'x_a-2.glb', 'X_A-3.GLB'],
    ],
    [
      ['a.glb', 'a.fbx'],
      ['a.glb', 'a.fbx'],
    ],
    [
      ['a/b', 'a_b'],
      ['a_b', 'a_b-2'],
    ],
    [
      ['x/a-2.glb', 'x_a.glb', 'x/a.glb'],
      ['x_a-2.glb', 'x_a.glb', 'x_a-3.glb'],
    ],
  ])('uploads of %j get the expected names', (paths, expected) => {
    expect(names(...paths)).toEqual(expected);
  });

  it('two names are never equal, even if case is ignored', () => {
    const path = fc
      .array(fc.constantFrom('a', 'A', 'b', '_', '/', '-', '2'), { minLength: 1, maxLength: 6 })
      .map((letters) => `${letters.join('')}.glb`);
    fc.assert(
      fc.property(fc.uniqueArray(path, { maxLength: 50 }), (paths) => {
        const all = names(...paths).map((name) => name.toLowerCase());
        expect(all).toHaveLength(paths.length);
        expect(new Set(all).size).toBe(paths.length);
        for (const name of all) expect(name).toMatch(/^[^/]+\.glb$/);
      }),
    );
  });
});
