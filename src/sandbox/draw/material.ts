// The materials of one drawing: variant and overrides applied, textures decoded.
import type { Scene, SceneMaterial, SceneTexture } from '../../glb/scene.ts';
import { defaultMaterial } from '../../glb/scene-types.ts';
import { linearOfHex } from './color.ts';
import { type Sampler, sampleTexture, type TextureLevels } from './texture.ts';

/** A colour put on a slot; slots are numbered, as their names may repeat. */
export type MaterialOverride = {
  /** Index among the model's materials. */
  readonly slot: number;
  /** sRGB hex; the light and dark of a texture beneath stay visible. */
  readonly color?: string;
  readonly metallic?: number;
  readonly roughness?: number;
};

export type DrawMaterial = SceneMaterial & {
  readonly base: Sampler | null;
  /** Divides the texture's brightness out when a colour was put over it; 0 = colours as they are. */
  readonly tintBrightness: number;
  readonly metalRough: Sampler | null;
  readonly normal: Sampler | null;
  readonly occlusion: Sampler | null;
  readonly emission: Sampler | null;
  /** Seen through: drawn after all else, from back to front. */
  readonly blended: boolean;
};

export type TextureLoader = (texture: SceneTexture) => Promise<TextureLevels | null>;

/** Material index of each part under a variant; parts without a mapping keep their own. */
export function partMaterials(scene: Scene, variant: string | undefined): readonly number[] {
  return scene.parts.map((part) =>
    variant === undefined ? part.material : (part.variantMaterials.get(variant) ?? part.material),
  );
}

/** Prepares the materials that a drawing uses; the others stay undefined. -1 is the default one. */
export async function prepareMaterials(
  scene: Scene,
  used: readonly number[],
  overrides: readonly MaterialOverride[],
  load: TextureLoader,
): Promise<ReadonlyMap<number, DrawMaterial>> {
  const prepared = new Map<number, DrawMaterial>();
  for (const index of new Set(used)) {
    const source = scene.materials[index] ?? defaultMaterial;
    const override = overrides.findLast(({ slot }) => slot === index);
    prepared.set(index, await prepareMaterial(source, override, load));
  }
  return prepared;
}

async function prepareMaterial(
  source: SceneMaterial,
  override: MaterialOverride | undefined,
  load: TextureLoader,
): Promise<DrawMaterial> {
  const sampler = async (use: SceneTexture | null): Promise<Sampler | null> => {
    const levels = use === null ? null : await load(use);
    return use === null || levels === null ? null : { levels, use };
  };
  const base = await sampler(source.baseColorTexture);
  const color = override?.color === undefined ? undefined : linearOfHex(override.color);
  return {
    ...source,
    baseColor: color ?? source.baseColor,
    metallic: override?.metallic ?? source.metallic,
    roughness: override?.roughness ?? source.roughness,
    base,
    tintBrightness: color === undefined || base === null ? 0 : averageBrightness(base),
    metalRough: await sampler(source.metalRoughTexture),
    normal: await sampler(source.normalTexture),
    occlusion: await sampler(source.occlusionTexture),
    emission: await sampler(source.emissiveTexture),
    blended: source.alphaMode === 'BLEND' || source.transmission > 0.05,
  };
}

function averageBrightness(sampler: Sampler): number {
  const pixel = new Float64Array(4);
  const use = { ...sampler.use, transform: null };
  // A footprint of the whole image picks the one-pixel level: its average.
  sampleTexture({ levels: sampler.levels, use }, 0.5, 0.5, 1, true, pixel);
  return Math.max(0.02, brightness(pixel));
}

/** Perceived brightness of a linear colour. */
export function brightness(pixel: Float64Array): number {
  return (
    0.2126 * (pixel[0] as number) + 0.7152 * (pixel[1] as number) + 0.0722 * (pixel[2] as number)
  );
}
