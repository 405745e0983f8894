// The materials of a drawing, with variant and swaps applied and textures decoded.
import type { Scene, SceneMaterial, SceneTexture } from '../../scene/scene.ts';
import { defaultMaterial } from '../../scene/scene-types.ts';
import {
  type MaterialLook,
  type MaterialSwap,
  noMaps,
  type SwapMaps,
  swapMaterial,
  texturePlacementOf,
} from './material-swap.ts';
import type { Sampler, TextureLevels } from './texture.ts';

export type DrawMaterial = SceneMaterial & {
  readonly base: Sampler | null;
  readonly metalRough: Sampler | null;
  readonly normal: Sampler | null;
  readonly occlusion: Sampler | null;
  readonly emission: Sampler | null;
  /** True for transparent materials, which are drawn last, from back to front. */
  readonly blended: boolean;
};

/** Decodes textures, or takes them from memory. Null if a texture cannot be decoded. */
export type TextureLoader = {
  own(texture: SceneTexture): Promise<TextureLevels | null>;
  swapped(look: MaterialLook): Promise<SwapMaps>;
};

/** Returns the material index of each part under a variant. Parts without a mapping keep their material. */
export function findPartMaterials(scene: Scene, variant: string | undefined): readonly number[] {
  return scene.parts.map((part) =>
    variant === undefined ? part.material : (part.variantMaterials.get(variant) ?? part.material),
  );
}

/** Prepares the materials that a drawing uses, by index. Index -1 is the default material. */
export async function prepareMaterials(
  scene: Scene,
  materialIndices: readonly number[],
  swaps: readonly MaterialSwap[],
  load: TextureLoader,
): Promise<ReadonlyMap<number, DrawMaterial>> {
  const prepared = new Map<number, DrawMaterial>();
  for (const index of new Set(materialIndices)) {
    const source = scene.materials[index] ?? defaultMaterial;
    const material = await prepareMaterial(source, load);
    const swap = swaps.findLast(({ slot }) => slot === index);
    prepared.set(index, swap ? await prepareSwap(scene, material, swap, load) : material);
  }
  return prepared;
}

async function prepareMaterial(source: SceneMaterial, load: TextureLoader): Promise<DrawMaterial> {
  const sampler = async (use: SceneTexture | null): Promise<Sampler | null> => {
    const levels = use === null ? null : await load.own(use);
    return use === null || levels === null ? null : { levels, use };
  };
  return {
    ...source,
    base: await sampler(source.baseColorTexture),
    metalRough: await sampler(source.metalRoughTexture),
    normal: await sampler(source.normalTexture),
    occlusion: await sampler(source.occlusionTexture),
    emission: await sampler(source.emissiveTexture),
    blended: source.alphaMode === 'BLEND' || source.transmission > 0.05,
  };
}

async function prepareSwap(
  scene: Scene,
  material: DrawMaterial,
  { look }: MaterialSwap,
  load: TextureLoader,
): Promise<DrawMaterial> {
  const use = texturePlacementOf(material);
  // Without texture coordinates the material is drawn in its plain colour.
  const laid = (use.texCoord === 1 ? scene.uv1 : scene.uv0) !== null;
  const maps = laid ? await load.swapped(look) : noMaps;
  const sampler = (levels: TextureLevels | null) => (levels === null ? null : { levels, use });
  return {
    ...swapMaterial(material, look, maps),
    base: sampler(maps.base),
    metalRough: sampler(maps.metalRough),
    normal: sampler(maps.normal),
    occlusion: material.occlusion,
    emission: null,
    blended: false,
  };
}
