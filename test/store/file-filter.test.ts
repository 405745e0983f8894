import { describe, expect, it } from 'vitest';
import { createFileFilter } from '../../src/store/discovery/file-filter.ts';

const include = ['**/*.{glb,gltf,fbx,obj,usdz}'];

describe('the include and exclude globs', () => {
  const takes = createFileFilter({ include, exclude: ['**/draft-*', 'old/**'] });

  it.each([
    'a.glb',
    'A.GLB',
    'shoes/summer 24/Low.Glb',
    'a/b/c/d.usdz',
    'x.y.fbx',
    '~a.glb',
    'old.glb',
  ])('the globs include %s', (path) => expect(takes(path)).toBe(true));

  it.each([
    ['a file of another type', 'a.stl'],
    ['an excluded file', 'draft-a.glb'],
    ['an excluded file in other capitals', 'shoes/Draft-A.glb'],
    ['a file in an excluded folder', 'old/a.glb'],
    ['a hidden file', '.a.glb'],
    ['a file in a hidden folder', '.renderline/a.glb'],
    ['a file in a nested hidden folder', 'a/.cache/b.glb'],
  ])('the globs exclude %s: %s', (_, path) => expect(takes(path)).toBe(false));
});

describe('files that no glob can include', () => {
  const takes = createFileFilter({ include: ['**/*', '**/.*'], exclude: [] });

  it.each([
    'a.glb.part',
    'a.glb.partial',
    'a.glb.tmp',
    'a.glb.filepart',
    'a.glb.crdownload',
    'a.glb.download',
    'a.glb~',
    '~$a.glb',
    'Thumbs.db',
    'models/thumbs.DB',
    'desktop.ini',
    '.DS_Store',
    '.~lock.a.glb#',
    'a.bin',
    'a.mtl',
    'textures/wood.PNG',
    'textures/wood.jpeg',
    'textures/wood.ktx2',
    'env.hdr',
    '.renderline/shoes/records/a.glb',
  ])('%s is never processed', (path) => expect(takes(path)).toBe(false));

  it('other types are still processed', () => expect(takes('a.stl')).toBe(true));
});
