// Which of several files of a map is used, and the names of materials.
import { describe, expect, it, test } from 'vitest';
import { planImport } from '../../src/textures/plan-import.ts';

const taken = (paths: readonly string[]) =>
  planImport(paths).materials.map(({ textures }) => textures);
const named = (paths: readonly string[]) => planImport(paths).materials.map(({ name }) => name);

describe('the choice between two files of one map', () => {
  // The better file, then the other one. Each rule outranks those below it.
  test.each([
    ['the file that can be uploaded', 'oak_color_1k.png', 'oak_color_4k.tif'],
    ['the OpenGL normal map', 'oak_normal_gl_1k.png', 'oak_normal_dx_4k.png'],
    [
      'the OpenGL normal map by its folder',
      'OpenGL/oak_normal_1k.png',
      'DirectX/oak_normal_4k.png',
    ],
    ['the file without a level of detail', 'oak_color_1k.png', 'oak_color_lod1_4k.png'],
    ['the larger file', 'oak_color_4k.jpg', 'oak_color_2k.png'],
    ['the larger file by its folder', '4k/oak_color.jpg', '1k/oak_color.png'],
    ['the first tile', 'oak_color_1001.png', 'oak_1002_color.png'],
    ['the latest version', 'oak_color_v2.png', 'oak_color_v1.png'],
    ['the file marked as final', 'oak_color_final.png', 'oak_color_v9.png'],
    ['the file that is not a copy', 'oak_color.png', 'oak_color_copy.png'],
    ['the file that is not a preview', 'oak_color.png', 'oak_color_preview.png'],
    ['the 8-bit file', 'oak_color_8bit.png', 'oak_color_16bit.png'],
    ['the file without a typing error', 'oak_basecolor_2k.jpg', 'oak_basecolr_2k.png'],
    ['the PNG rather than the JPEG', 'oak_color.png', 'oak_color.jpg'],
    ['the JPEG rather than the EXR', 'oak_color.jpg', 'oak_color.exr'],
    ['the first file by name', 'a/oak_color.png', 'a/oak_diffuse.png'],
  ])('the chosen file is %s', (_, better, other) => {
    const channel = better.includes('normal') ? 'normal' : 'diffuse';
    for (const paths of [
      [better, other],
      [other, better],
    ]) {
      expect(taken(paths)).toEqual([{ [channel]: better }]);
      expect(planImport(paths).duplicates.map(({ file }) => file)).toEqual([other]);
    }
  });
});

describe('the name of a material', () => {
  test.each([
    // The common part of its file names, as written, without map, resolution and separators.
    [['Oak-Planks_BaseColor_2K.png', 'Oak-Planks_Normal_2K.png'], 'Oak-Planks'],
    [['T_Oak_D.png', 'T_Oak_N.png'], 'Oak'],
    [['BaseColor_Oak.png', 'Normal_Oak.png'], 'Oak'],
    [['oak (basecolor).png'], 'oak'],
    [['[Oak] Diffuse.png'], 'Oak'],
    [['oakRoughness.png', 'oakNormal.png'], 'oak'],
    [['Ho\u0308lzer_diffuse.png'], 'Hölzer'],
    // The spelling of most files. If there is no majority, the spelling of the best file.
    [['oak_diffuse.png', 'Oak_normal.png', 'Oak_roughness.png'], 'Oak'],
    // The name of the folder, without resolution, if the name of the file is only a map.
    [['Oak Planks 2K/diffuse.png', 'Oak Planks 2K/normal.png'], 'Oak Planks'],
    [['Oak/Textures/diffuse.png'], 'Oak'],
    [['diffuse.png', 'normal.png'], 'Material'],
  ])('the material from %j is called %s', (paths, name) => expect(named(paths)).toEqual([name]));

  it('a material with the same name as another one gets the name of its folder as well', () => {
    expect(named(['a/oak_diffuse.png', 'b/oak_diffuse.png', 'elm_diffuse.png'])).toEqual([
      'a/oak',
      'b/oak',
      'elm',
    ]);
    expect(named(['x/maps/oak_diffuse.png', 'y/maps/oak_diffuse.png'])).toEqual([
      'x/maps/oak',
      'y/maps/oak',
    ]);
  });
});
