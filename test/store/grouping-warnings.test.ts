import { describe, expect, it } from 'vitest';
import { groupingWarningsOf } from '../../src/store/discovery/grouping-warnings.ts';
import { planImport } from '../../src/textures/plan-import.ts';
import { udimTilesOf } from '../../src/textures/udim-tiles.ts';

const warnings = (...paths: string[]) => {
  const textures = planImport(paths);
  const grouping = { props: 0, decals: 0, textures, tiles: udimTilesOf(textures) };
  return groupingWarningsOf(grouping, 'library').map(({ key, message }) => `${key}: ${message}`);
};

describe('warnings about pictures that are not in any library item', () => {
  it.each<[string, string[], string[]]>([
    ['none if all are used', ['oak_diffuse.png', 'oak_normal.png'], []],
    ['none for maps that a material does not support', ['oak_diffuse.png', 'oak_ao.png'], []],
    ['none for other files', ['oak_diffuse.png', 'readme.txt'], []],
    [
      'several maps in one picture',
      ['oak_diffuse.png', 'oak_ORM.png'],
      [
        'library: left out, several maps in one picture: oak_ORM.png; export the maps as separate pictures',
      ],
    ],
    [
      'no channel in the name',
      ['IMG_1.png'],
      [
        'library: left out, no channel in the name: IMG_1.png; add the channel to the name, or set `unmatchedAsDiffuse: true`',
      ],
    ],
    [
      'a duplicate channel',
      ['oak_diffuse.png', 'oak_diffuse.jpg'],
      [
        'library: left out, a second picture for a channel of the material: oak_diffuse.jpg; keep one picture for each channel, and `exclude` the others',
      ],
    ],
    [
      'UDIM tiles and a duplicate channel',
      ['oak_diffuse.1001.png', 'oak_diffuse.1002.png', 'ash_diffuse.png', 'ash_diffuse.jpg'],
      [
        'library: UDIM tiles are not supported, used: oak_diffuse.1001.png; left out: oak_diffuse.1002.png; bake the tiles into one picture',
        'library: left out, a second picture for a channel of the material: ash_diffuse.jpg; keep one picture for each channel, and `exclude` the others',
      ],
    ],
  ])('groupingWarningsOf() returns the warnings: %s', (_what, paths, expected) => {
    expect(warnings(...paths)).toEqual(expected);
  });

  it('a warning lists the first five files', () => {
    const [only = '', ...others] = warnings(
      ...Array.from({ length: 12 }, (_, n) => `IMG_${n}.png`),
    );
    expect(others).toEqual([]);
    expect(only).toContain(' and 7 more; ');
    expect(only.match(/IMG_/g)).toHaveLength(5);
  });
});
