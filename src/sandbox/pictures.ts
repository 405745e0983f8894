// Pictures of render outputs: drawn beside the server at a share of their size, kept by what they show.
import { createHash, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MaterialSwap } from './draw/material-swap.ts';
import type { DrawPool } from './draw/pool.ts';
import type { TemplateLook } from './draw/templates.ts';
import { enlarge, type PictureSize, testCard } from './picture-size.ts';

export interface PictureSpec extends PictureSize {
  /** Hash of the model's file: equal contents look alike. */
  readonly sha256: string;
  readonly fileType: string;
  /** Shown where a model of this type cannot be drawn. */
  readonly modelName: string;
  readonly read: () => Promise<Uint8Array>;
  readonly look: TemplateLook;
  /** Name of one of the look's bookmarks. */
  readonly bookmark: string;
  readonly variant?: string | undefined;
  readonly swaps?: readonly MaterialSwap[] | undefined;
}

export interface Picture {
  /** Name of the file among the pictures. */
  readonly file: string;
  readonly bytes: number;
}

export class Pictures {
  readonly #root: string;
  readonly #pool: DrawPool;
  readonly #scale: number;
  readonly #made = new Map<string, Promise<Picture>>();

  /** @param scale Share of the asked size that is drawn; 0 draws no model and makes test cards. */
  constructor(root: string, pool: DrawPool, scale: number) {
    this.#root = root;
    this.#pool = pool;
    this.#scale = scale;
    mkdirSync(root, { recursive: true });
  }

  path(file: string): string {
    return join(this.#root, file);
  }

  /** The picture as a file; equal ones are drawn once. Rejects with DrawError. */
  draw(spec: PictureSpec): Promise<Picture> {
    const file = this.#fileName(spec);
    const known = this.#made.get(file);
    if (known) return known;
    const made = this.#make(file, spec);
    this.#made.set(file, made);
    // A picture that failed may be asked for again.
    made.catch(() => this.#made.delete(file));
    return made;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #make(file: string, spec: PictureSpec): Promise<Picture> {
    const path = this.path(file);
    const there = await stat(path).catch(() => undefined);
    if (there) return { file, bytes: there.size };
    const bytes = await this.#draw(spec);
    // Unique: a process that was believed dead may still be drawing the same picture.
    const partial = `${path}.${randomUUID()}.partial`;
    await writeFile(partial, bytes);
    await rename(partial, path);
    return { file, bytes: bytes.length };
  }

  async #draw(spec: PictureSpec): Promise<Uint8Array> {
    const scale = this.#scale;
    if (scale === 0) return testCard(spec);
    const { sha256, modelName, fileType, look, bookmark, variant, swaps, read } = spec;
    const drawn = await this.#pool.draw({
      modelId: sha256,
      fileType,
      name: modelName,
      look,
      bookmark,
      variant,
      swaps,
      read,
      width: Math.max(1, Math.round(spec.width * scale)),
      height: Math.max(1, Math.round(spec.height * scale)),
      // What is scaled up afterwards must not be lossy.
      format: scale < 1 && spec.format === 'JPEG' ? 'PNG' : spec.format,
    });
    return scale < 1 ? enlarge(drawn.bytes, spec) : drawn.bytes;
  }

  #fileName(spec: PictureSpec): string {
    const { sha256, fileType, modelName, look, bookmark, variant, width, height, format } = spec;
    // Paths say nothing about what they hold: a swapped material counts by its content.
    const worn = (spec.swaps ?? []).map((swap) => [swap.slot, swap.look.key]);
    const subject =
      this.#scale === 0 ? [] : [sha256, fileType, modelName, look, bookmark, variant, worn];
    const key = JSON.stringify([this.#scale, width, height, format, subject]);
    return `${createHash('sha1').update(key).digest('hex')}.${format.toLowerCase()}`;
  }
}
