// Draws jobs and keeps recently used models in memory, up to a number of bytes.

import { DrawableModel } from '../drawable-model.ts';
import { depthOf, encodePicture } from '../pictures/encode.ts';
import type { RawPicture } from '../pictures/picture.ts';
import { drawPlaceholder } from '../pictures/placeholder.ts';
import { createFilm, createStillFilm } from '../video/film.ts';
import type { DrawSpec } from './draw-job.ts';

const defaultCacheBytes = 256 * 1024 * 1024;

const drawnTypes = new Set(['glb', 'gltf']);

export class Drawer {
  readonly #cacheBytes: number;
  /** Models, least recently used first. */
  readonly #models = new Map<string, DrawableModel>();

  constructor(cacheBytes: number = defaultCacheBytes) {
    this.#cacheBytes = cacheBytes;
  }

  /** True if a job can be drawn without the model's bytes. */
  isReady(spec: DrawSpec): boolean {
    return !drawnTypes.has(spec.fileType) || this.#models.has(cacheKey(spec));
  }

  /** Number of models in memory. */
  get modelCount(): number {
    return this.#models.size;
  }

  /** Draws and encodes. `read` is called only if the model is not in memory. @throws ModelUnreadableError */
  async draw(spec: DrawSpec, read: () => Promise<Uint8Array>): Promise<Buffer> {
    const { film, format, fileType } = spec;
    const depth = film ? 8 : depthOf(format);
    const encode = (picture: RawPicture) =>
      film ? createStillFilm(film, picture) : encodePicture(picture, format);
    if (!drawnTypes.has(fileType)) return encode(await drawPlaceholder({ ...spec, depth }));
    const model = await this.#model(spec, read);
    const draw = (look = spec.look): Promise<RawPicture> =>
      model.isEmpty
        ? drawPlaceholder({ ...spec, depth, reason: 'The model has no geometry' })
        : model.draw({ ...spec, depth, look });
    const bytes =
      film && !model.isEmpty
        ? await createFilm(film, (camera) => draw({ ...spec.look, bookmarks: [camera] }))
        : await encode(await draw());
    // The size is measured after drawing, because drawing creates textures and shadows.
    this.#trim(cacheKey(spec));
    return bytes;
  }

  async #model(spec: DrawSpec, read: () => Promise<Uint8Array>): Promise<DrawableModel> {
    const key = cacheKey(spec);
    const cachedModel = this.#models.get(key);
    const model = cachedModel ?? (await DrawableModel.read(await read(), spec.fileType));
    this.#models.delete(key);
    this.#models.set(key, model);
    return model;
  }

  #trim(keep: string): void {
    let bytes = 0;
    for (const model of this.#models.values()) bytes += model.bytes;
    for (const [key, model] of this.#models) {
      if (bytes <= this.#cacheBytes) return;
      if (key === keep) continue;
      this.#models.delete(key);
      bytes -= model.bytes;
    }
  }
}

function cacheKey({ modelId, fileType }: DrawSpec): string {
  return `${fileType}:${modelId}`;
}
