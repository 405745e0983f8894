import { describe, expect, it } from 'vitest';
import { contentTypeOf } from '../../src/api/content-types.ts';
import { nearestName } from '../../src/api/nearest-name.ts';

describe('content types', () => {
  it.each([
    ['glb', 'model/gltf-binary'],
    ['usdz', 'model/vnd.usdz+zip'],
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['fbx', 'application/octet-stream'],
    ['', 'application/octet-stream'],
    ['toString', 'application/octet-stream'],
  ])('%j is %s', (fileType, expected) => {
    expect(contentTypeOf(fileType)).toBe(expected);
  });
});

describe('did you mean', () => {
  const names = ['getModel', 'getModels', 'listRenders', 'createProjects'];

  it.each([
    ['getModle', 'getModel'],
    ['getmodel', 'getModel'],
    ['listRender', 'listRenders'],
    ['createProject', 'createProjects'],
    ['deleteEverything', undefined],
    ['', undefined],
  ])('%j: %j', (name, expected) => {
    expect(nearestName(name, names)).toBe(expected);
  });

  it('is not slowed down by nonsense of any length', () => {
    expect(nearestName('x'.repeat(1_000_000), names)).toBeUndefined();
  });

  it('has nothing to suggest among no names', () => {
    expect(nearestName('getModel', [])).toBeUndefined();
  });
});
