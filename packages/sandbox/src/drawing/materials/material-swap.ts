// Replaces a slot's material with a library material and keeps the texture placement of the slot.
import { readFile } from 'node:fs/promises';
import type { SceneMaterial, SceneTexture } from '../../scene/scene.ts';
import { defaultMaterial } from '../../scene/scene-types.ts';
import { linearOfHex } from '../color.ts';
import { decodeMaps, type TextureLevels } from './texture.ts';

const swapChannels = ['diffuse', 'normal', 'roughness', 'metallic', 'opacity'] as const;

/** The look of a material. Plain data, since it crosses a thread boundary. */
export type MaterialLook = {
  /** Equal for materials that look the same. */
  readonly key: string;
  /** sRGB hex: the colour without a colour texture, and of surfaces without texture coordinates. */
  readonly colorHex: string;
  /** Paths of image files. An unreadable file counts as missing. */
  readonly textures: { readonly [Channel in (typeof swapChannels)[number]]?: string };
};

/** A material for a slot. Slots are identified by index, because names may repeat. */
export type MaterialSwap = {
  /** Index of the model's material. */
  readonly slot: number;
  readonly look: MaterialLook;
};

export type SwapMaps = {
  /** Colour, with the opacity as alpha. */
  readonly base: TextureLevels | null;
  /** Roughness in green and metallic in blue. */
  readonly metalRough: TextureLevels | null;
  readonly normal: TextureLevels | null;
};

export const noMaps: SwapMaps = { base: null, metalRough: null, normal: null };

/** Decodes the maps of a material to at most `side` pixels per side. */
export async function readSwapMaps({ textures }: MaterialLook, side: number): Promise<SwapMaps> {
  const [diffuse, normal, roughness, metallic, opacity] = await Promise.all(
    swapChannels.map((channel) => readMap(textures[channel])),
  );
  return {
    base: diffuse === undefined ? null : await decodeMaps({ color: diffuse, alpha: opacity }, side),
    metalRough: await decodeMaps({ green: roughness, blue: metallic }, side),
    normal: await decodeMaps({ color: normal }, side),
  };
}

// The file is missing if the material was deleted in the meantime.
async function readMap(path: string | undefined): Promise<Uint8Array | undefined> {
  return path === undefined ? undefined : readFile(path).catch(() => undefined);
}

/** Returns the material of a swapped slot. Only name, sidedness and baked occlusion of the old one remain. */
export function swapMaterial(
  source: SceneMaterial,
  { colorHex }: MaterialLook,
  { base, metalRough }: SwapMaps,
): SceneMaterial {
  const holed = base?.at(-1)?.data[3] !== 255;
  return {
    ...defaultMaterial,
    name: source.name,
    baseColor: base === null ? linearOfHex(colorHex) : [1, 1, 1],
    metallic: metalRough === null ? 0 : 1,
    roughness: metalRough === null ? defaultMaterial.roughness : 1,
    alphaMode: base !== null && holed ? 'MASK' : 'OPAQUE',
    occlusionTexture: source.occlusionTexture,
    doubleSided: source.doubleSided,
  };
}

/** Returns the placement of the new maps: the placement of the slot's own colour or normal texture, always repeated. */
export function texturePlacementOf({
  baseColorTexture,
  normalTexture,
}: SceneMaterial): SceneTexture {
  const texture = baseColorTexture ?? normalTexture;
  return {
    id: -1,
    image: new Uint8Array(0),
    texCoord: texture?.texCoord ?? 0,
    transform: texture?.transform ?? null,
    wrapU: 'repeat',
    wrapV: 'repeat',
  };
}
