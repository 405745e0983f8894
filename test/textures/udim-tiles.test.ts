// UDIM sets. A material uses one picture of a set.
import { describe, expect, it } from 'vitest';
import { formatGrouping } from '../../src/cli/plan/format.ts';
import { planImport } from '../../src/textures/plan-import.ts';
import { udimTilesOf } from '../../src/textures/udim-tiles.ts';

const jacket = ['jacket_BaseColor.1001.png', 'jacket_BaseColor.1002.png'];

describe('UDIM tiles', () => {
  it.each<[string, string[], string[], string[]]>([
    ['are recognized after the map', jacket, [jacket[0] ?? ''], [jacket[1] ?? '']],
    [
      'are recognized before the map',
      ['a_1001_Normal.png', 'a_1011_Normal.png'],
      ['a_1001_Normal.png'],
      ['a_1011_Normal.png'],
    ],
    [
      'are recognized in the notation of Mudbox',
      ['a_diffuse_u1_v1.tif', 'a_diffuse_u2_v1.tif'],
      ['a_diffuse_u1_v1.tif'],
      ['a_diffuse_u2_v1.tif'],
    ],
    [
      'without a map are left out',
      ['wood_1001.png', 'wood_1002.png'],
      [],
      ['wood_1001.png', 'wood_1002.png'],
    ],
    [
      'without a map are left out if they are EXR files',
      ['w.1001.exr', 'w.1002.exr'],
      [],
      ['w.1001.exr', 'w.1002.exr'],
    ],
    [
      'of a part without a first tile are recognized next to a part that has one',
      [...jacket, 'strap_BaseColor.1041.png'],
      ['jacket_BaseColor.1001.png', 'strap_BaseColor.1041.png'],
      ['jacket_BaseColor.1002.png'],
    ],
    [
      'are recognized if a placeholder stands for them',
      ['wood_BaseColor.<UDIM>.png', 'wood_Normal.<UDIM>.png'],
      ['wood_BaseColor.<UDIM>.png', 'wood_Normal.<UDIM>.png'],
      [],
    ],
    ['are not recognized in years', ['oak_diffuse_1998.png'], [], []],
    ['are not recognized in article numbers', ['ART-1001.jpg', 'ART-1002.jpg'], [], []],
    ['are not recognized in actual duplicates', ['oak_diffuse.png', 'oak_diffuse.jpg'], [], []],
  ])('tiles %s', (_, paths, taken, left) => {
    expect(udimTilesOf(planImport(paths))).toEqual({ taken, ignored: left });
  });

  it('tiles are not recognized if each image is a material of its own', () => {
    const swatches = ['fabric_1001.jpg', 'fabric_1002.jpg'];
    const plan = planImport(swatches, { unmatchedAsDiffuse: true });
    expect(plan.materials).toHaveLength(2);
    expect(udimTilesOf(plan)).toEqual({ taken: [], ignored: [] });
  });

  it('the name of a material does not contain the tile', () => {
    const names = (...paths: string[]) => planImport(paths).materials.map(({ name }) => name);
    expect(names(...jacket)).toEqual(['jacket']);
    expect(names('wood_BaseColor.<UDIM>.png', 'wood_Normal.<UDIM>.png')).toEqual(['wood']);
  });

  it('a plan reports tiles, but not as duplicates', () => {
    const textures = planImport([...jacket, 'a_diffuse.png', 'a_diffuse.jpg']);
    const lines = formatGrouping({ props: 0, decals: 0, textures, tiles: udimTilesOf(textures) });
    expect(lines).toContain(
      'tiles     1 left out (UDIM tiles are not supported): jacket_BaseColor.1002.png',
    );
    expect(lines).toContain('          used: jacket_BaseColor.1001.png');
    expect(lines).toContain('duplicate 1 (the material already has this channel): a_diffuse.jpg');
  });
});
