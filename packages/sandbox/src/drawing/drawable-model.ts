// A model in memory: its scene, and the textures and shadows that drawings share.
import { readScene, type Scene, type SceneTexture } from '../scene/scene.ts';
import { drawScene } from './draw-scene.ts';
import { createDepthMap, type DepthMap } from './light/depth-map.ts';
import { createFloorShadow, type FloorShadow } from './light/floor-shadow.ts';
import { computeKeyDirection } from './light/lighting.ts';
import { type DrawMaterial, findPartMaterials, prepareMaterials } from './materials/material.ts';
import {
  type MaterialLook,
  type MaterialSwap,
  readSwapMaps,
  type SwapMaps,
} from './materials/material-swap.ts';
import { decodeTexture, type TextureLevels, textureBytesOf } from './materials/texture.ts';
import type { PictureDepth, RawPicture } from './pictures/picture.ts';
import { type Bookmark, findBookmark, type TemplateLook } from './templates.ts';

export type DrawOptions = {
  readonly look: TemplateLook;
  /** Name of a bookmark of the look. If absent or unknown, the first bookmark is used. */
  readonly bookmark?: string | undefined;
  readonly width: number;
  readonly height: number;
  readonly variant?: string | undefined;
  readonly swaps?: readonly MaterialSwap[] | undefined;
  readonly depth?: PictureDepth | undefined;
};

type Shadows = { readonly shadows: DepthMap; readonly floor: FloorShadow };

/** Maximum number of shadow sets of a model: one for each direction of light, size, and choice of casting parts. */
const maxShadowSets = 4;
/** Maximum number of decoded library materials that a model keeps. Each texture size counts separately. */
const maxSwaps = 8;

export class DrawableModel {
  readonly scene: Scene;
  readonly #textures = new Map<string, TextureLevels | null>();
  readonly #swaps = new Map<string, SwapMaps>();
  readonly #shadows = new Map<string, Shadows>();
  #textureBytes = 0;

  constructor(scene: Scene) {
    this.scene = scene;
  }

  /** Reads a model. @throws ModelUnreadableError */
  static async read(bytes: Uint8Array, fileType: string): Promise<DrawableModel> {
    return new DrawableModel(await readScene(bytes, fileType));
  }

  /** Bytes of memory, including decoded textures and shadow maps. */
  get bytes(): number {
    let shadows = 0;
    for (const set of this.#shadows.values()) {
      shadows += set.shadows.nearest.byteLength + set.floor.dark.byteLength;
    }
    let swaps = 0;
    for (const { base, metalRough, normal } of this.#swaps.values()) {
      for (const levels of [base, metalRough, normal]) swaps += levels ? textureBytesOf(levels) : 0;
    }
    return this.scene.bytes + this.#textureBytes + swaps + shadows;
  }

  get isEmpty(): boolean {
    return this.scene.indices.length === 0;
  }

  /** Draws the model. It must not be empty. */
  async draw(options: DrawOptions): Promise<RawPicture> {
    const { look, width, height, variant } = options;
    const bookmark = findBookmark(look, options.bookmark);
    const side = computeTextureSide(Math.max(width, height));
    const materialIndices = findPartMaterials(this.scene, variant);
    const prepared = await prepareMaterials(this.scene, materialIndices, options.swaps ?? [], {
      own: (texture) => this.#texture(texture, side),
      swapped: (swap) => this.#swapMaps(swap, side),
    });
    const materials = materialIndices.map((index) => {
      const material = prepared.get(index) as DrawMaterial;
      return look.flat === true ? { ...material, unlit: true } : material;
    });
    const set = this.#shadowSet(
      look,
      bookmark,
      materials,
      computeShadowSize(Math.max(width, height)),
    );
    const { scene } = this;
    const { depth = 8 } = options;
    const framed = collectPoints(scene, materialIndices, bookmark.slot);
    return drawScene({ scene, look, bookmark, width, height, depth, framed, materials, ...set });
  }

  async #texture(texture: SceneTexture, side: number): Promise<TextureLevels | null> {
    const key = `${texture.id}@${side}`;
    const cachedLevels = this.#textures.get(key);
    if (cachedLevels !== undefined) return cachedLevels;
    const levels = await decodeTexture(texture.image, side);
    this.#textures.set(key, levels);
    this.#textureBytes += levels === null ? 0 : textureBytesOf(levels);
    return levels;
  }

  async #swapMaps(look: MaterialLook, side: number): Promise<SwapMaps> {
    const key = `${look.key}@${side}`;
    const cachedMaps = this.#swaps.get(key);
    if (cachedMaps !== undefined) return cachedMaps;
    return remember(this.#swaps, key, await readSwapMaps(look, side), maxSwaps);
  }

  #shadowSet(
    look: TemplateLook,
    bookmark: Bookmark,
    materials: readonly DrawMaterial[],
    size: number,
  ): Shadows {
    const direction = computeKeyDirection(look, bookmark);
    const casting = materials.map((material) => !material.blended);
    const key = JSON.stringify([direction, casting, size]);
    const cachedShadows = this.#shadows.get(key);
    if (cachedShadows !== undefined) return cachedShadows;
    const isCasting = (part: number): boolean => casting[part] === true;
    const shadows = createDepthMap(this.scene, direction, size, isCasting);
    const depthFromBelow = createDepthMap(this.scene, [0, -1, 0], 192, () => true);
    const shadowSet = { shadows, floor: createFloorShadow(this.scene, shadows, depthFromBelow) };
    return remember(this.#shadows, key, shadowSet, maxShadowSets);
  }
}

/** Keeps a value in a cache, and drops the oldest one if the cache is full. */
function remember<V>(cache: Map<string, V>, key: string, value: V, max: number): V {
  const [oldest] = cache.keys();
  if (cache.size >= max && oldest !== undefined) cache.delete(oldest);
  cache.set(key, value);
  return value;
}

// Textures need no more pixels than the picture can show.
function computeTextureSide(pictureSide: number): number {
  if (pictureSide <= 320) return 256;
  if (pictureSide <= 800) return 512;
  return pictureSide <= 2000 ? 1024 : 2048;
}

function computeShadowSize(pictureSide: number): number {
  if (pictureSide <= 320) return 256;
  return pictureSide <= 1300 ? 768 : 1024;
}

/** Returns the points of the parts with this material, or undefined if there are none. */
function collectPoints(
  { parts, indices, positions }: Scene,
  materialIndices: readonly number[],
  material: number | undefined,
): Float32Array | undefined {
  const points: number[] = [];
  parts.forEach(({ firstTriangle, triangleCount }, part) => {
    if (materialIndices[part] !== material) return;
    for (const vertex of indices.subarray(firstTriangle * 3, (firstTriangle + triangleCount) * 3)) {
      points.push(...positions.subarray(vertex * 3, vertex * 3 + 3));
    }
  });
  return points.length === 0 ? undefined : Float32Array.from(points);
}
