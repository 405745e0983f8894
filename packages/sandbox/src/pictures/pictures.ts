// Draws pictures and videos in the background at a share of their size, and caches them by content.
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import type { PictureFormat } from '../drawing/pictures/encode.ts';
import { encodeThumbnail } from '../drawing/pictures/thumbnail.ts';
import type { Shot } from '../drawing/templates.ts';
import type { DrawJob } from '../drawing/threads/draw-job.ts';
import type { DrawPool } from '../drawing/threads/pool.ts';
import { createFileOnce } from '../state/file-cache.ts';
import { createPrivateFolder } from '../state/private-folder.ts';

/** Pictures up to this side length are drawn at full size, except at scale 0, since scaling would save little. */
const smallSide = 320;
/** Longest side of the drawn frames of a video. The frames are then scaled to the video's size. */
const filmSide = 480;

interface PictureSize {
  readonly width: number;
  readonly height: number;
  readonly format: PictureFormat;
}

/** `modelId` is the hash of the model's file, since equal files look the same. */
type Subject = Pick<
  DrawJob,
  'modelId' | 'fileType' | 'name' | 'read' | 'look' | 'variant' | 'swaps'
>;

export interface PictureSpec extends Subject, PictureSize {
  /** Name of one of the look's bookmarks. */
  readonly bookmark: string;
}

export interface FilmSpec extends Subject {
  readonly width: number;
  readonly height: number;
  readonly format: 'MP4';
  /** Camera moves in order, at least one. */
  readonly shots: readonly Shot[];
  readonly framesPerSecond: number;
}

export interface Picture {
  /** File name in the picture store. */
  readonly file: string;
  readonly bytes: number;
}

export class Pictures {
  readonly #root: string;
  readonly #pool: DrawPool;
  readonly #scale: number;

  /** @param scale Share of the requested size that is drawn. With 0, test cards are created instead of models. */
  constructor(root: string, pool: DrawPool, scale: number) {
    this.#root = root;
    this.#pool = pool;
    this.#scale = scale;
    createPrivateFolder(root);
  }

  path(file: string): string {
    return join(this.#root, file);
  }

  /** Draws the picture or video as a file. Equal pictures and videos are drawn once. Rejects with DrawError. */
  draw(spec: PictureSpec | FilmSpec): Promise<Picture> {
    return this.#once(this.#fileName(spec), () =>
      spec.format === 'MP4' ? this.#film(spec) : this.#draw(spec),
    );
  }

  /** Returns a small JPEG of a picture from `draw`. */
  thumbnail(file: string): Promise<Picture> {
    return this.#once(`${file}.small.jpeg`, () => encodeThumbnail(this.path(file)));
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  async #once(file: string, make: () => Promise<Uint8Array>): Promise<Picture> {
    return { file, bytes: await createFileOnce(this.path(file), make) };
  }

  async #draw(spec: PictureSpec): Promise<Uint8Array> {
    if (this.#scale === 0) return testCard(spec, spec.look.backdrop.isTransparent);
    const scale = Math.max(spec.width, spec.height) <= smallSide ? 1 : this.#scale;
    const drawing = await this.#pool.draw({
      ...spec,
      width: Math.max(1, Math.round(spec.width * scale)),
      height: Math.max(1, Math.round(spec.height * scale)),
      // PNG is used for a picture that is scaled up afterwards, because it must not be lossy.
      format: scale < 1 && spec.format === 'JPEG' ? 'PNG' : spec.format,
    });
    return scale < 1 ? enlarge(drawing, spec) : drawing;
  }

  #film(spec: FilmSpec): Promise<Uint8Array> {
    const { shots, framesPerSecond, width, height, ...subject } = spec;
    const share = Math.min(this.#scale || 1, filmSide / Math.max(width, height));
    return this.#pool.draw({
      ...subject,
      // With scale 0, the type is one that is never drawn, so a placeholder video is used.
      ...(this.#scale === 0 ? { fileType: 'mp4', name: 'Test card' } : {}),
      width: Math.max(1, Math.round(width * share)),
      height: Math.max(1, Math.round(height * share)),
      format: 'PNG',
      film: { shots, framesPerSecond: this.#frameRate(framesPerSecond), width, height },
    });
  }

  // Encoding costs more than drawing, so a cheap video has fewer frames too. The rate is even, since shots last
  // multiples of half a second.
  #frameRate(framesPerSecond: number): number {
    if (this.#scale === 0) return framesPerSecond;
    return 2 * Math.max(1, Math.round((framesPerSecond * this.#scale) / 2));
  }

  #fileName(spec: PictureSpec | FilmSpec): string {
    const { modelId, fileType, name, look, variant, width, height, format } = spec;
    const camera = spec.format === 'MP4' ? [spec.shots, spec.framesPerSecond] : spec.bookmark;
    const seconds = spec.format === 'MP4' ? spec.shots.map((shot) => shot.seconds) : [];
    // Swapped materials count by their content key, because the file at a path may change.
    const swapKeys = (spec.swaps ?? []).map((swap) => [swap.slot, swap.look.key]);
    const subject =
      this.#scale === 0
        ? [seconds, look.backdrop.isTransparent]
        : [modelId, fileType, name, look, camera, variant, swapKeys];
    const key = JSON.stringify([this.#scale, width, height, format, subject]);
    return `${createHash('sha1').update(key).digest('hex')}.${format.toLowerCase()}`;
  }
}

/** Enlarges a small picture and converts its format. Pixels stay visible, so it is not taken for a full render. */
function enlarge(bytes: Uint8Array, size: PictureSize): Promise<Buffer> {
  return encode(
    sharp(bytes).resize(size.width, size.height, { fit: 'fill', kernel: 'nearest' }),
    size,
  );
}

/** Creates a test card of this size and format. On a transparent background it has a margin, like a product. */
function testCard(size: PictureSize, isTransparent = false): Promise<Buffer> {
  const { width, height } = size;
  const margin = isTransparent ? 10 : 0;
  const side = `${100 - 2 * margin}%`;
  const card = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <linearGradient id="g" x2="1" y2="1"><stop stop-color="#27304a"/><stop offset="1" stop-color="#e8b04b"/></linearGradient>
    <rect x="${margin}%" y="${margin}%" width="${side}" height="${side}" fill="url(#g)"/>
    <circle cx="50%" cy="50%" r="25%" fill="#f4f1ea"/></svg>`;
  const picture = sharp(Buffer.from(card));
  return encode(isTransparent && size.format !== 'JPEG' ? picture : toOpaque(picture), size);
}

function toOpaque(picture: Sharp): Sharp {
  return picture.flatten({ background: '#ffffff' });
}

function encode(image: Sharp, { format }: PictureSize): Promise<Buffer> {
  if (format === 'JPEG') return image.jpeg({ quality: 90 }).toBuffer();
  if (format === 'TIFF') {
    return image.toColourspace('rgb16').tiff({ compression: 'deflate' }).toBuffer();
  }
  return image.png({ compressionLevel: 2 }).toBuffer();
}
