// Texture file names as people write them, and names that only resemble textures.
import type { Listing } from './_listing.ts';

export const handmadeListings: readonly Listing[] = [
  [
    'bare names take the folder',
    {
      materials: {
        'Oak Planks': {
          diffuse: 'lib/Oak Planks/Color.png',
          normal: 'lib/Oak Planks/Normal.png',
          roughness: 'lib/Oak Planks/rough.png',
        },
        marble: { diffuse: 'lib/marble/albedo.jpg', metallic: 'lib/marble/metal.jpg' },
      },
      ignored: ['lib/Oak Planks/ao.png'],
      packed: ['lib/marble/roughness_metallic.png'],
      unmatched: ['lib/marble/preview.jpg'],
    },
  ],
  [
    "a bare name next to names with the folder's",
    {
      materials: { oak: { diffuse: 'oak/oak_diff.png', normal: 'oak/normal.png' } },
    },
  ],
  [
    'the same name in two folders',
    {
      materials: {
        'a/oak': { diffuse: 'a/oak_diff.png', normal: 'a/oak_normal.png' },
        'b/oak': { diffuse: 'b/oak_diff.png', normal: 'b/oak_normal.png' },
      },
    },
  ],
  [
    'resolutions in folders',
    {
      materials: {
        oak: { diffuse: 'oak/4k/oak_diff_4k.jpg', roughness: 'oak/4k/oak_rough_4k.jpg' },
      },
      duplicates: ['oak/1k/oak_diff_1k.jpg', 'oak/1k/oak_rough_1k.jpg'],
    },
  ],
  [
    'Windows paths, mixed case and separators',
    {
      materials: {
        'Green Tile': {
          diffuse: 'C:\\Textures\\Green-Tile_ALBEDO.JPG',
          normal: 'C:\\Textures\\green_tile-Normal.PNG',
          roughness: 'C:\\Textures\\Green Tile Roughness.png',
        },
      },
    },
  ],
  [
    'maps in brackets and with the word map',
    {
      materials: {
        cloth: {
          diffuse: 'cloth (diffuse map).png',
          normal: 'cloth [Normal Map].png',
          roughness: 'cloth_roughness_texture.png',
          depth: 'cloth-heightMap.png',
        },
      },
    },
  ],
  [
    'typing errors',
    {
      materials: {
        slate: {
          diffuse: 'slate_albedo.png',
          normal: 'slate_noraml.png',
          roughness: 'slate_rougness.png',
          metallic: 'slate_metalic.png',
          depth: 'slate_displacment.png',
        },
      },
      ignored: ['slate_ambientoclusion.png'],
    },
  ],
  [
    'a map glued to the name',
    {
      materials: {
        brick: {
          diffuse: 'brickdiffuse.jpg',
          normal: 'bricknormal.jpg',
          roughness: 'brickroughness.jpg',
        },
        sand: { diffuse: 'sandcol.jpg', normal: 'sandnrm.jpg', depth: 'sanddisp.jpg' },
      },
    },
  ],
  [
    'a map glued to the name, in capitals',
    {
      materials: {
        WOOD: {
          diffuse: 'WOODDIFFUSE.PNG',
          normal: 'WOODNORMAL.PNG',
          roughness: 'WOODROUGHNESS.PNG',
        },
      },
    },
  ],
  [
    'a copy with a number in brackets',
    {
      materials: { Wood: { diffuse: 'Wood_diffuse.png', normal: 'Wood_normal.png' } },
      duplicates: ['Wood_diffuse (1).png'],
    },
  ],
  [
    'one set in a folder for each resolution, with bare names',
    {
      materials: { oak: { diffuse: 'oak_4k/albedo.png', normal: 'oak_4k/normal.png' } },
      duplicates: ['oak_1k/albedo.png', 'oak_1k/normal.png'],
    },
  ],
  [
    'abbreviations and letters that confirm each other',
    {
      materials: {
        Velvet: { diffuse: 'Velvet_BC.png', normal: 'Velvet_N.png' },
        rock: { diffuse: 'rock_d.png', normal: 'rock_n.png', depth: 'rock_disp.png' },
      },
    },
  ],
  [
    'a metal whose maps are called metal and rough',
    {
      materials: {
        rusty_metal: {
          diffuse: 'rusty_metal_albedo.png',
          normal: 'rusty_metal_normal.png',
          metallic: 'rusty_metal_metal.png',
          roughness: 'rusty_metal_rough.png',
        },
      },
    },
  ],
  [
    'map first',
    {
      materials: { brick: { diffuse: 'diffuse_brick.png', normal: 'normal_brick.png' } },
    },
  ],
  [
    'map inside, numbers at the end',
    {
      materials: {
        tile_01: { diffuse: 'tile_diffuse_01.png', normal: 'tile_normal_01.png' },
        tile_02: { diffuse: 'tile_diffuse_02.png', normal: 'tile_normal_02.png' },
      },
    },
  ],
  [
    'versions after the map',
    {
      materials: {
        jacket: {
          diffuse: 'jacket_diffuse_v3.png',
          normal: 'jacket_normal_v2.png',
          roughness: 'jacket_roughness_final.png',
        },
        jacket_v2: { diffuse: 'jacket_v2_diffuse.png' },
      },
      duplicates: ['jacket_diffuse_v2.png', 'jacket_normal.png'],
    },
  ],
  [
    'a colour map without a map word',
    {
      materials: { crate: { diffuse: 'crate.png', normal: 'crate_n.png' } },
      ignored: ['crate_s.png'],
    },
  ],
  [
    'separated packing next to a material of a metal',
    {
      materials: {
        Metal: {
          diffuse: 'Metal_Color.png',
          roughness: 'Metal_Roughness.png',
          normal: 'Metal_Normal.png',
        },
        rough_metal: { diffuse: 'rough_metal_diff.jpg', normal: 'rough_metal_nor.jpg' },
      },
      packed: ['pipe_AO_Rough_Metal.png', 'pipe_diffuse-alpha.png'],
    },
  ],
  ['only a DirectX normal', { materials: { hull: { normal: 'hull_normal_dx.png' } } }],
  [
    'product words',
    {
      unmatched: [
        'formation-rock.jpg',
        'brushed_metal.jpg',
        'robot_arm.png',
        'home_base.png',
        'team_alpha.png',
        'storm.png',
        'color_chart.png',
        'normal_shoes.png',
        'abnormal.png',
        'protocol.png',
        'heightened.png',
        'diffuser_lamp.png',
        'metal.jpg',
        'face_mask.png',
        'sea_depth.png',
        'brushed_metal_2k.jpg',
        'IMG_2048.jpg',
        'Hero.png',
        '1.png',
        'light-weight.png',
        'formal.png',
      ],
    },
  ],
  [
    'material names that contain map words',
    {
      materials: {
        'formation-rock': {
          diffuse: 'formation-rock-albedo.png',
          normal: 'formation-rock-normal.png',
        },
        rough_wood: { diffuse: 'rough_wood_color.png', roughness: 'rough_wood_roughness.png' },
        color_tiles: { diffuse: 'color_tiles_diff.png', normal: 'color_tiles_nor.png' },
        StainedGlassLamp_base: {
          diffuse: 'StainedGlassLamp_base_basecolor.png',
          normal: 'StainedGlassLamp_base_normal.png',
        },
        BaseballGlove: {
          diffuse: 'BaseballGlove_BaseColor.png',
          normal: 'BaseballGlove_Normal.png',
        },
      },
      packed: ['robot_arm_orm.png'],
    },
  ],
  [
    'alphabets and cube faces',
    {
      unmatched: [
        ...'abcdefghijklmnopqrstuvwxyz'.split('').map((letter) => `abc/letter_${letter}.png`),
        ...'nsew'.split('').map((letter) => `sky/sky_${letter}.png`),
      ],
    },
  ],
  [
    'other scripts',
    {
      materials: {
        Eiche_hell_größe: {
          diffuse: 'Eiche_hell_größe_diffuse.png',
          normal: 'Eiche_hell_größe_normal.png',
        },
      },
    },
  ],
  [
    'nothing to do with images',
    {
      skipped: [
        'a',
        'b.txt',
        '.hidden.png',
        'x/.git/y_diffuse.png',
        'wood_diffuse',
        'set.zip',
        '__MACOSX/a_diff.png',
      ],
    },
  ],
];
