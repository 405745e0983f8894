// Texture file names of libraries, paint programs and engines.
import type { Listing } from './_listing.ts';

export const libraryListings: readonly Listing[] = [
  [
    'Poly Haven zip',
    {
      materials: {
        brown_planks_03: {
          diffuse: 'brown_planks_03_4k.blend/textures/brown_planks_03_diff_4k.jpg',
          depth: 'brown_planks_03_4k.blend/textures/brown_planks_03_disp_4k.png',
          normal: 'brown_planks_03_4k.blend/textures/brown_planks_03_nor_gl_4k.exr',
          roughness: 'brown_planks_03_4k.blend/textures/brown_planks_03_rough_4k.exr',
        },
      },
      packed: ['brown_planks_03_4k.blend/textures/brown_planks_03_arm_4k.jpg'],
      skipped: ['brown_planks_03_4k.blend/brown_planks_03_4k.blend'],
    },
  ],
  [
    'Poly Haven with colour variants',
    {
      materials: {
        fabric_pattern_07: {
          diffuse: 'fabric_pattern_07_col_1_2k.png',
          normal: 'fabric_pattern_07_nor_gl_2k.exr',
          roughness: 'fabric_pattern_07_rough_2k.jpg',
        },
      },
      ignored: ['fabric_pattern_07_ao_2k.jpg'],
      duplicates: ['fabric_pattern_07_col_2_2k.png', 'fabric_pattern_07_col_03_2k.png'],
    },
  ],
  [
    'ambientCG, two sets with previews',
    {
      materials: {
        Bricks090: {
          diffuse: 'Bricks090_2K-PNG_Color.png',
          normal: 'Bricks090_2K-PNG_NormalGL.png',
          roughness: 'Bricks090_2K-PNG_Roughness.png',
          depth: 'Bricks090_2K-PNG_Displacement.png',
        },
        Metal049A: {
          diffuse: 'Metal049A_1K-JPG_Color.jpg',
          metallic: 'Metal049A_1K-JPG_Metalness.jpg',
          normal: 'Metal049A_1K-JPG_NormalGL.jpg',
        },
      },
      ignored: ['Bricks090_2K-PNG_AmbientOcclusion.png'],
      duplicates: ['Bricks090_2K-PNG_NormalDX.png', 'Metal049A_1K-JPG_NormalDX.jpg'],
      unmatched: ['Bricks090.png', 'Metal049A.png'],
      skipped: ['Bricks090_2K-PNG.usdc'],
    },
  ],
  [
    'Quixel Bridge',
    {
      materials: {
        ukzicdmv: {
          diffuse: 'ukzicdmv_4K_Albedo.jpg',
          normal: 'ukzicdmv_4K_Normal.jpg',
          roughness: 'ukzicdmv_4K_Roughness.jpg',
          depth: 'ukzicdmv_4K_Displacement.exr',
          opacity: 'ukzicdmv_4K_Opacity.jpg',
        },
        Aset_wood_log_M_rfgxx: {
          diffuse: 'Aset_wood_log_M_rfgxx_4K_Albedo.jpg',
          normal: 'Aset_wood_log_M_rfgxx_4K_Normal.jpg',
        },
      },
      ignored: [
        'ukzicdmv_4K_AO.jpg',
        'ukzicdmv_4K_Bump.jpg',
        'ukzicdmv_4K_Cavity.jpg',
        'ukzicdmv_4K_Gloss.jpg',
        'ukzicdmv_4K_Specular.jpg',
        'ukzicdmv_4K_Translucency.jpg',
        'ukzicdmv_4K_Fuzz.jpg',
      ],
      duplicates: ['ukzicdmv_4K_Normal_LOD0.jpg'],
      unmatched: ['ukzicdmv_Preview.png'],
      skipped: ['ukzicdmv.json', 'Aset_wood_log_M_rfgxx_LOD0.fbx'],
    },
  ],
  [
    'Megascans in Unreal',
    {
      materials: {
        Rock_tlncdf: { diffuse: 'T_Rock_tlncdf_2K_D.PNG', normal: 'T_Rock_tlncdf_2K_N.PNG' },
      },
      packed: ['T_Rock_tlncdf_2K_ORD.PNG'],
    },
  ],
  [
    'Unreal letters',
    {
      materials: {
        Chair_Leather: {
          diffuse: 'T_Chair_Leather_BC.tga',
          normal: 'T_Chair_Leather_N.tga',
        },
        Leaf: {
          diffuse: 'T_Leaf_D.tga',
          normal: 'T_Leaf_N.tga',
          roughness: 'T_Leaf_R.tga',
          metallic: 'T_Leaf_M.tga',
          opacity: 'T_Leaf_A.tga',
          depth: 'T_Leaf_H.tga',
        },
      },
      ignored: ['T_Leaf_E.tga', 'T_Leaf_S.tga', 'T_Leaf_O.tga'],
      packed: ['T_Chair_Leather_MRA.tga'],
    },
  ],
  [
    'Unity standard and HDRP',
    {
      materials: {
        Crate: { normal: 'Crate_Normal.png', depth: 'Crate_Height.png' },
        Floor: { diffuse: 'Floor_BaseMap.png', normal: 'Floor_NormalMap.png' },
      },
      ignored: ['Crate_Occlusion.png', 'Crate_Emission.png', 'Floor_OcclusionMap.png'],
      packed: ['Crate_AlbedoTransparency.png', 'Crate_MetallicSmoothness.png', 'Floor_MaskMap.png'],
      skipped: ['Crate_Normal.png.meta'],
    },
  ],
  [
    'A corset, letters only',
    {
      materials: { Corset: { diffuse: 'Corset_A.png', normal: 'Corset_N.png' } },
      ignored: ['Corset_O.png'],
      packed: ['Corset_M.png'],
    },
  ],
  [
    'Substance Painter with UDIM tiles and colour spaces',
    {
      materials: {
        Sofa_Fabric: {
          diffuse: 'Sofa_Fabric_BaseColor_sRGB.1001.exr',
          roughness: 'Sofa_Fabric_Roughness_Utility - Raw.1001.exr',
          metallic: 'Sofa_Fabric_Metalness_Raw.1001.exr',
          normal: 'Sofa_Fabric_Normal_Raw.1001.exr',
        },
      },
      duplicates: [
        'Sofa_Fabric_BaseColor_sRGB.1002.exr',
        'Sofa_Fabric_Roughness_Utility - Raw.1002.exr',
        'Sofa_Fabric_Normal_Raw.1002.exr',
      ],
    },
  ],
  [
    'Substance, one mesh with several materials',
    {
      materials: {
        lambert1: {
          diffuse: 'lambert1_Base_Color.png',
          normal: 'lambert1_Normal_OpenGL.png',
          metallic: 'lambert1_Metallic.png',
        },
        lambert2: {
          diffuse: 'lambert2_Base_Color.png',
          roughness: 'lambert2_Roughness.png',
        },
      },
      ignored: ['lambert1_Mixed_AO.png'],
    },
  ],
  [
    'textures.com',
    {
      materials: {
        TexturesCom_Brick_Modern: {
          diffuse: 'TexturesCom_Brick_Modern_512_albedo.tif',
          normal: 'TexturesCom_Brick_Modern_512_normal.tif',
          roughness: 'TexturesCom_Brick_Modern_512_roughness.tif',
          depth: 'TexturesCom_Brick_Modern_512_height.tif',
        },
      },
      ignored: ['TexturesCom_Brick_Modern_512_ao.tif'],
      unmatched: ['TexturesCom_Brick_Modern_header.jpg'],
    },
  ],
  [
    'cgbookcase',
    {
      materials: {
        ConcreteWall03: {
          diffuse: 'ConcreteWall03_2K_BaseColor.png',
          depth: 'ConcreteWall03_2K_Height.png',
          normal: 'ConcreteWall03_2K_Normal.png',
          roughness: 'ConcreteWall03_2K_Roughness.png',
        },
      },
      ignored: ['ConcreteWall03_2K_AO.png'],
    },
  ],
  [
    '3dtextures.me',
    {
      materials: {
        Wood_Herringbone_Tiles_004: {
          diffuse: 'Wood_Herringbone_Tiles_004_basecolor.jpg',
          depth: 'Wood_Herringbone_Tiles_004_height.png',
          normal: 'Wood_Herringbone_Tiles_004_normal.jpg',
          roughness: 'Wood_Herringbone_Tiles_004_roughness.jpg',
        },
        Stylized_Rocks_002: {
          diffuse: 'Stylized_Rocks_002_COLOR.jpg',
          normal: 'Stylized_Rocks_002_NORM.jpg',
          depth: 'Stylized_Rocks_002_DISP.png',
          roughness: 'Stylized_Rocks_002_ROUGH.jpg',
        },
      },
      ignored: ['Wood_Herringbone_Tiles_004_ambientOcclusion.jpg', 'Stylized_Rocks_002_OCC.jpg'],
    },
  ],
  [
    'Poliigon, specular workflow',
    {
      materials: {
        GroundGrassGreen002: {
          diffuse: 'GroundGrassGreen002_COL_VAR1_3K.jpg',
          normal: 'GroundGrassGreen002_NRM_3K.jpg',
          depth: 'GroundGrassGreen002_DISP_3K.jpg',
        },
      },
      ignored: [
        'GroundGrassGreen002_AO_3K.jpg',
        'GroundGrassGreen002_BUMP_3K.jpg',
        'GroundGrassGreen002_GLOSS_3K.jpg',
        'GroundGrassGreen002_REFL_3K.jpg',
      ],
      duplicates: [
        'GroundGrassGreen002_COL_VAR2_3K.jpg',
        'GroundGrassGreen002_DISP16_3K.tif',
        'GroundGrassGreen002_NRM16_3K.tif',
      ],
    },
  ],
  [
    'Poliigon, a workflow word on a pair of files',
    {
      materials: {
        Wood008: {
          diffuse: 'Wood008_COL_2K_METALNESS.png',
          roughness: 'Wood008_ROUGHNESS_2K_METALNESS.png',
        },
      },
    },
  ],
  [
    'a word on every file that no rule knows',
    {
      materials: {
        Wall_SPECULAR: {
          diffuse: 'Wall_COL_SPECULAR.jpg',
          normal: 'Wall_NRM_SPECULAR.jpg',
          depth: 'Wall_DISP_SPECULAR.jpg',
        },
      },
    },
  ],
  [
    'FreePBR',
    {
      materials: {
        'bamboo-wood-semigloss': {
          diffuse: 'bamboo-wood-semigloss-albedo.png',
          metallic: 'bamboo-wood-semigloss-metal.png',
          normal: 'bamboo-wood-semigloss-normal-ogl.png',
          roughness: 'bamboo-wood-semigloss-roughness.png',
        },
        rustediron2: {
          diffuse: 'rustediron2_basecolor.png',
          metallic: 'rustediron2_metallic.png',
          normal: 'rustediron2_normal.png',
          roughness: 'rustediron2_roughness.png',
        },
      },
      ignored: ['bamboo-wood-semigloss-ao.png'],
      duplicates: ['bamboo-wood-semigloss-normal-dx.png'],
    },
  ],
  [
    'Sketchfab export',
    {
      materials: {
        material_0: {
          diffuse: 'textures/material_0_baseColor.jpeg',
          normal: 'textures/material_0_normal.png',
        },
        Material_1: { diffuse: 'textures/Material_1_diffuse.png' },
      },
      packed: [
        'textures/material_0_metallicRoughness.png',
        'textures/Material_1_specularGlossiness.png',
      ],
      ignored: ['textures/material_0_emissive.jpeg'],
    },
  ],
  [
    'Sponza',
    {
      materials: {
        background: { diffuse: 'background.tga', normal: 'background_ddn.tga' },
        VasePlant: { diffuse: 'VasePlant_diffuse.tga', opacity: 'VasePlant_mask.tga' },
        sponza_curtain_blue: { diffuse: 'sponza_curtain_blue_diff.tga' },
        sponza_arch: { diffuse: 'sponza_arch_diff.tga', normal: 'sponza_arch_ddn.tga' },
      },
      ignored: ['sponza_arch_spec.tga'],
    },
  ],
  [
    'Unreal starter content',
    {
      materials: {
        Brick_Clay: { diffuse: 'T_Brick_Clay_D.TGA', normal: 'T_Brick_Clay_N.TGA' },
        Chair: { normal: 'T_Chair_N.TGA' },
        Wood_Floor_Walnut: { diffuse: 'T_Wood_Floor_Walnut_D.TGA' },
      },
      packed: ['T_Brick_Clay_M.TGA', 'T_Chair_M.TGA', 'T_Burst_M.TGA'],
    },
  ],
  [
    'Arnold and V-Ray exports',
    {
      materials: {
        Sofa: {
          diffuse: 'Sofa_BaseColor.png',
          roughness: 'Sofa_specularRoughness.png',
          metallic: 'Sofa_Metalness.png',
        },
        Lamp: { diffuse: 'Lamp_Diffuse.png', normal: 'Lamp_Normal.png' },
      },
      ignored: ['Lamp_Reflection.png', 'Lamp_Glossiness.png', 'Lamp_ior.png'],
    },
  ],
  [
    'Quixel thumbnails in a folder of their own',
    {
      materials: {
        uhroebug: {
          diffuse: 'uhroebug_ms/uhroebug_4K_Albedo.jpg',
          roughness: 'uhroebug_ms/uhroebug_4K_Roughness.jpg',
        },
      },
      duplicates: ['uhroebug_ms/Thumbs/1K/uhroebug_1K_Albedo.jpg'],
      unmatched: ['uhroebug_ms/uhroebug_Preview.png'],
    },
  ],
];
