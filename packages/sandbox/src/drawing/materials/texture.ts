// Decoded textures with mipmaps, so that small pictures do not sparkle.
import sharp from 'sharp';
import { findImageProblem } from '../../files/image-limits.ts';
import type { SceneTexture, TextureWrap } from '../../scene/scene.ts';
import { linearOfByte } from '../color.ts';

/** Limit against image bombs. Real textures have far fewer pixels. */
const maxTexturePixels = 8192 * 8192;

const resizeOptions = { fit: 'inside', withoutEnlargement: true, kernel: 'linear' } as const;

export type TextureLevel = {
  readonly width: number;
  readonly height: number;
  /** Bytes r, g, b and a of each pixel. */
  readonly data: Uint8Array;
};

/** Mipmaps: largest first, each half as large, down to one pixel. */
export type TextureLevels = readonly TextureLevel[];

/** Decodes an image to at most `maxSide` pixels per side, or to a given size. Null if it is unreadable or too large. */
export async function decodeTexture(
  image: Uint8Array,
  maxSide: number,
  size: { readonly width: number; readonly height: number } | null = null,
): Promise<TextureLevels | null> {
  try {
    if ((await findImageProblem(image, maxTexturePixels)) !== null) return null;
    const { data, info } = await sharp(image, { limitInputPixels: maxTexturePixels })
      .resize(
        size === null
          ? { width: maxSide, height: maxSide, ...resizeOptions }
          : { width: size.width, height: size.height, fit: 'fill', kernel: 'linear' },
      )
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    return buildLevels({ width: info.width, height: info.height, data });
  } catch {
    return null;
  }
}

/** Returns the bytes of memory of a decoded texture. */
export function textureBytesOf(levels: TextureLevels): number {
  return levels.reduce((sum, { data }) => sum + data.byteLength, 0);
}

/** Images that form one texture: a colour image, or single channels from grey images. */
type ChannelImages = {
  readonly color?: Uint8Array | undefined;
  readonly green?: Uint8Array | undefined;
  readonly blue?: Uint8Array | undefined;
  readonly alpha?: Uint8Array | undefined;
};

const channelOffsets = { green: 1, blue: 2, alpha: 3 } as const;

/**
 * Combines images into one texture with the size of the first readable one. Without a colour image, missing channels
 * are 255 and blue is 0: rough, opaque and not metallic. Null if no image is readable.
 */
export async function decodeMaps(
  { color, ...channels }: ChannelImages,
  maxSide: number,
): Promise<TextureLevels | null> {
  let first = color === undefined ? null : ((await decodeTexture(color, maxSide))?.[0] ?? null);
  for (const [channel, channelOffset] of Object.entries(channelOffsets)) {
    const image = channels[channel as keyof typeof channelOffsets];
    const grey = image === undefined ? null : await decodeTexture(image, maxSide, first);
    if (!grey?.[0]) continue;
    first ??= toPlainLevel(grey[0]);
    for (let offset = 0; offset < first.data.length; offset += 4) {
      first.data[offset + channelOffset] = grey[0].data[offset] as number;
    }
  }
  return first === null ? null : buildLevels(first);
}

function toPlainLevel({ width, height }: TextureLevel): TextureLevel {
  const data = new Uint8Array(width * height * 4);
  for (let offset = 0; offset < data.length; offset += 4) data.set([255, 255, 0, 255], offset);
  return { width, height, data };
}

function buildLevels(first: TextureLevel): TextureLevels {
  const levels = [first];
  let last = first;
  while (last.width > 1 || last.height > 1) {
    last = halve(last);
    levels.push(last);
  }
  return levels;
}

function halve(source: TextureLevel): TextureLevel {
  const width = Math.max(1, source.width >> 1);
  const height = Math.max(1, source.height >> 1);
  const data = new Uint8Array(width * height * 4);
  for (let y = 0, offset = 0; y < height; y += 1) {
    const row = Math.min(y * 2, source.height - 1) * source.width;
    const nextRow = Math.min(y * 2 + 1, source.height - 1) * source.width;
    for (let x = 0; x < width; x += 1) {
      const left = Math.min(x * 2, source.width - 1);
      const right = Math.min(x * 2 + 1, source.width - 1);
      for (let channel = 0; channel < 4; channel += 1, offset += 1) {
        const sum =
          (source.data[(row + left) * 4 + channel] as number) +
          (source.data[(row + right) * 4 + channel] as number) +
          (source.data[(nextRow + left) * 4 + channel] as number) +
          (source.data[(nextRow + right) * 4 + channel] as number);
        data[offset] = (sum + 2) >> 2;
      }
    }
  }
  return { width, height, data };
}

/** A texture as a material uses it. */
export type Sampler = {
  readonly levels: TextureLevels;
  readonly use: SceneTexture;
};

function wrap(index: number, size: number, mode: TextureWrap): number {
  if (index >= 0 && index < size) return index;
  if (mode === 'clamp') return index < 0 ? 0 : size - 1;
  if (mode === 'repeat') return ((index % size) + size) % size;
  const period = ((index % (size * 2)) + size * 2) % (size * 2);
  return period < size ? period : size * 2 - 1 - period;
}

/**
 * Takes a bilinear sample at u, v. `footprint` is the share of the texture's side that one pixel covers. Writes r, g,
 * b, a to `out`, as linear light if `isColor`, otherwise as the stored values from 0 to 1.
 */
export function sampleTexture(
  { levels, use }: Sampler,
  u: number,
  v: number,
  footprint: number,
  isColor: boolean,
  out: Float64Array,
): void {
  const m = use.transform;
  const su = m === null ? u : m[0] * u + m[2] * v + m[4];
  const sv = m === null ? v : m[1] * u + m[3] * v + m[5];
  const first = levels[0] as TextureLevel;
  const texels = footprint * Math.max(first.width, first.height);
  const levelIndex = texels > 1 ? Math.round(Math.log2(texels) - 0.2) : 0;
  const level = levels[Math.min(levelIndex, levels.length - 1)] as TextureLevel;
  const { width, height, data } = level;
  const x = su * width - 0.5;
  const y = sv * height - 0.5;
  const x0 = Math.floor(x);
  const y0 = Math.floor(y);
  const fx = x - x0;
  const fy = y - y0;
  const left = wrap(x0, width, use.wrapU);
  const right = wrap(x0 + 1, width, use.wrapU);
  const row0 = wrap(y0, height, use.wrapV) * width;
  const row1 = wrap(y0 + 1, height, use.wrapV) * width;
  const a = (row0 + left) * 4;
  const b = (row0 + right) * 4;
  const c = (row1 + left) * 4;
  const d = (row1 + right) * 4;
  const wa = (1 - fx) * (1 - fy);
  const wb = fx * (1 - fy);
  const wc = (1 - fx) * fy;
  const wd = fx * fy;
  for (let channel = 0; channel < 4; channel += 1) {
    const pa = data[a + channel] as number;
    const pb = data[b + channel] as number;
    const pc = data[c + channel] as number;
    const pd = data[d + channel] as number;
    out[channel] =
      isColor && channel < 3
        ? (linearOfByte[pa] as number) * wa +
          (linearOfByte[pb] as number) * wb +
          (linearOfByte[pc] as number) * wc +
          (linearOfByte[pd] as number) * wd
        : (pa * wa + pb * wb + pc * wc + pd * wd) / 255;
  }
}
