import { describe, expect, it } from 'vitest';
import { createFileFilter } from '../../src/store/discovery/file-filter.ts';

const include = ['**/*.{glb,gltf,fbx,obj,usdz}'];

describe('files that are taken', () => {
  const takes = createFileFilter({ include, exclude: ['**/draft-*', 'old/**'] });

  it.each([
    'a.glb',
    'A.GLB',
    'shoes/summer 24/Low.Glb',
    'a/b/c/d.usdz',
    'x.y.fbx',
    '~a.glb',
    'old.glb',
  ])('yes: %s', (path) => expect(takes(path)).toBe(true));

  it.each([
    ['another type', 'a.stl'],
    ['excluded', 'draft-a.glb'],
    ['excluded, other capitals', 'shoes/Draft-A.glb'],
    ['excluded folder', 'old/a.glb'],
    ['hidden', '.a.glb'],
    ['hidden folder', '.renderline/a.glb'],
    ['deep hidden folder', 'a/.cache/b.glb'],
  ])('no, %s: %s', (_, path) => expect(takes(path)).toBe(false));
});

describe('files that are never taken, whatever the globs say', () => {
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
  ])('%s', (path) => expect(takes(path)).toBe(false));

  it('take the rest', () => expect(takes('a.stl')).toBe(true));
});
