import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentTypeOf } from '../../src/api/content-types.ts';
import { computeEditDistance, findNearestName } from '../../src/api/requests/nearest-name.ts';

describe('content types of files', () => {
  it.each([
    ['glb', 'model/gltf-binary'],
    ['usdz', 'model/vnd.usdz+zip'],
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['fbx', 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['toString', 'application/octet-stream'],
  ])('the content type of %j is %s', (fileType, expected) => {
    expect(contentTypeOf(fileType)).toBe(expected);
  });
});

describe('suggestions for a wrong name', () => {
  const names = ['getModel', 'getModels', 'listRenders', 'createProjects'];

  it.each([
    ['getModle', 'getModel'],
    ['getmodel', 'getModel'],
    ['listRender', 'listRenders'],
    ['createProject', 'createProjects'],
    ['deleteEverything', null],
    ['', null],
    ['rednder', null],
    ['lsitRenders', 'listRenders'],
  ])('the suggestion for %j is %j', (name, expected) => {
    expect(findNearestName(name, names)).toBe(expected);
  });

  it('a very long name is compared quickly', () => {
    expect(findNearestName('x'.repeat(1_000_000), names)).toBeNull();
  });

  it('no name is suggested if there are none', () => {
    expect(findNearestName('getModel', [])).toBeNull();
  });
});

describe('edit distance', () => {
  it.each([
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
  ])('the edit distance of "%s" to "%s" is %i', (a, b, distance) => {
    expect(computeEditDistance(a, b)).toBe(distance);
  });

  it('the edit distance is symmetric, and zero only for equal strings', () => {
    const text = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(computeEditDistance(a, b)).toBe(computeEditDistance(b, a));
        expect(computeEditDistance(a, b) === 0).toBe(a === b);
      }),
    );
  });
});
