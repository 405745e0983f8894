// A model as the sandbox draws it: one triangle list in world space, and its materials.

/** A texture with its transform. `id` is the index of the image. */
export type SceneTexture = {
  readonly id: number;
  /** The encoded image. Empty if a library material replaces the texture. */
  readonly image: Uint8Array;
  readonly texCoord: 0 | 1;
  /** u' = m0·u + m2·v + m4, v' = m1·u + m3·v + m5 (KHR_texture_transform). Null if there is no transform. */
  readonly transform: readonly [number, number, number, number, number, number] | null;
  readonly wrapU: TextureWrap;
  readonly wrapV: TextureWrap;
};

export type TextureWrap = 'repeat' | 'mirror' | 'clamp';

export type Rgb = readonly [number, number, number];

/** Colours are linear, 0 to 1. A texture is multiplied by the factor next to it. */
export type SceneMaterial = {
  readonly name: string | null;
  readonly baseColor: Rgb;
  readonly alpha: number;
  readonly baseColorTexture: SceneTexture | null;
  readonly metallic: number;
  readonly roughness: number;
  /** Roughness in green and metallic in blue. */
  readonly metalRoughTexture: SceneTexture | null;
  readonly normalTexture: SceneTexture | null;
  readonly normalScale: number;
  readonly occlusionTexture: SceneTexture | null;
  readonly emissive: Rgb;
  readonly emissiveTexture: SceneTexture | null;
  readonly alphaMode: 'OPAQUE' | 'MASK' | 'BLEND';
  readonly alphaCutoff: number;
  readonly doubleSided: boolean;
  readonly unlit: boolean;
  /** Transmitted light (glass), 0 to 1. */
  readonly transmission: number;
  readonly clearcoat: number;
  readonly sheen: Rgb;
};

/** A range of triangles with one material. `variantMaterials` has the materials of variants that set one, by name. */
export type ScenePart = {
  readonly firstTriangle: number;
  readonly triangleCount: number;
  /** Index of `materials`. -1 for the default material. */
  readonly material: number;
  readonly variantMaterials: ReadonlyMap<string, number>;
};

export type Scene = {
  /** The x, y and z of each vertex in metres, with y up. */
  readonly positions: Float32Array;
  /** Unit normals. 0, 0, 0 if the file has none, so that the triangle's own normal applies. */
  readonly normals: Float32Array;
  readonly uv0: Float32Array | null;
  readonly uv1: Float32Array | null;
  /** Linear r, g, b, a of each vertex. */
  readonly colors: Float32Array | null;
  /** Three vertex indices per triangle. */
  readonly indices: Uint32Array;
  readonly parts: readonly ScenePart[];
  /** The slots that colorways match, in file order. Names may repeat or be null. */
  readonly materials: readonly SceneMaterial[];
  readonly variants: readonly string[];
  readonly min: Rgb;
  readonly max: Rgb;
  /** Bytes of memory of the scene, including encoded images. */
  readonly bytes: number;
};

export const defaultMaterial: SceneMaterial = {
  name: null,
  baseColor: [0.8, 0.8, 0.8],
  alpha: 1,
  baseColorTexture: null,
  metallic: 0,
  roughness: 0.6,
  metalRoughTexture: null,
  normalTexture: null,
  normalScale: 1,
  occlusionTexture: null,
  emissive: [0, 0, 0],
  emissiveTexture: null,
  alphaMode: 'OPAQUE',
  alphaCutoff: 0.5,
  doubleSided: true,
  unlit: false,
  transmission: 0,
  clearcoat: 0,
  sheen: [0, 0, 0],
};

/** Thrown if the model cannot be drawn: the inspection refused it, it exceeds a limit, or its data does not decode. */
export class ModelUnreadableError extends Error {
  override name = 'ModelUnreadableError';
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
