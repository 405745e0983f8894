// Procedural base-colour textures as PNG, which always have the same bytes. No image files are shipped.
import sharp from 'sharp';
import { bytesOfHex } from '../drawing/color.ts';
import type { Rgb } from '../scene/scene-types.ts';

/** The content of a texture, by kind. All colours are `#rrggbb`. */
export type TextureDescription =
  | { readonly wood: readonly [light: string, dark: string] }
  | { readonly cloth: string }
  /** From the top down, each band as its share of the height and its colour: `0.4 #ffffff, 0.6 #000000`. */
  | { readonly bands: string }
  /** Two colours with a wavy edge at this share of the height. */
  | { readonly glaze: readonly [top: string, bottom: string]; readonly edge: number }
  | { readonly dial: readonly [paper: string, ink: string] };

/** Returns the texture as a PNG. */
export function paintTexture(texture: TextureDescription): Promise<Buffer> {
  if ('wood' in texture) return createWoodTexture(...texture.wood);
  if ('cloth' in texture) return createClothTexture(texture.cloth);
  if ('glaze' in texture) return createGlazeTexture(...texture.glaze, texture.edge);
  if ('dial' in texture) return createDialTexture(...texture.dial);
  return createBandTexture(texture.bands);
}

function paint(side: number, colorAt: (u: number, v: number) => Rgb): Promise<Buffer> {
  const data = new Uint8Array(side * side * 3);
  for (let y = 0; y < side; y += 1) {
    for (let x = 0; x < side; x += 1) {
      data.set(colorAt((x + 0.5) / side, (y + 0.5) / side), (y * side + x) * 3);
    }
  }
  return sharp(data, { raw: { width: side, height: side, channels: 3 } })
    .png()
    .toBuffer();
}

function mixColors(a: Rgb, b: Rgb, share: number): Rgb {
  const t = Math.min(1, Math.max(0, share));
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t, a[2] + (b[2] - a[2]) * t];
}

// Returns a pseudo-random number from 0 to 1 for a grid point.
function computeNoise(x: number, y: number): number {
  let hash = Math.imul(x, 374761393) + Math.imul(y, 668265263);
  hash = Math.imul(hash ^ (hash >>> 13), 1274126177);
  return ((hash ^ (hash >>> 16)) >>> 0) / 4294967295;
}

/** Returns smooth noise that repeats after `period` grid points. */
function smoothNoise(x: number, y: number, period: number): number {
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const ease = (t: number): number => t * t * (3 - 2 * t);
  const [fx, fy] = [ease(x - x0), ease(y - y0)];
  const gridNoise = (i: number, j: number): number =>
    computeNoise(((i % period) + period) % period, ((j % period) + period) % period);
  const top = gridNoise(x0, y0) * (1 - fx) + gridNoise(x0 + 1, y0) * fx;
  const bottom = gridNoise(x0, y0 + 1) * (1 - fx) + gridNoise(x0 + 1, y0 + 1) * fx;
  return top * (1 - fy) + bottom * fy;
}

/** Creates wood with its grain along u. */
function createWoodTexture(light: string, dark: string): Promise<Buffer> {
  const [a, b] = [bytesOfHex(light), bytesOfHex(dark)];
  return paint(512, (u, v) => {
    const bend = smoothNoise(u * 4, v * 8, 8) * 0.9 + smoothNoise(u * 8, v * 32, 32) * 0.25;
    const rings = 0.5 + 0.5 * Math.sin((v * 14 + bend) * Math.PI * 2);
    const fibre = smoothNoise(u * 16, v * 256, 256);
    const plank = computeNoise(Math.floor(v * 4), 7) * 0.25;
    return mixColors(a, b, rings ** 2 * 0.4 + fibre * 0.35 + plank);
  });
}

function createBandTexture(bands: string): Promise<Buffer> {
  const colors = bands.split(', ').map((band) => {
    const [share = '', hex = ''] = band.split(' ');
    return [Number(share), bytesOfHex(hex)] as const;
  });
  return paint(256, (u, v) => {
    let edge = 0;
    for (const [share, color] of colors) {
      edge += share;
      if (v < edge) return addSpeckles(color, u, v);
    }
    return addSpeckles(colors.at(-1)?.[1] ?? [255, 255, 255], u, v);
  });
}

function addSpeckles(color: Rgb, u: number, v: number): Rgb {
  const grain = computeNoise(Math.floor(u * 256), Math.floor(v * 256));
  return grain > 0.985
    ? mixColors(color, [70, 60, 50], 0.45)
    : mixColors(color, [255, 255, 255], 0.03 * grain);
}

/** Creates a glaze with a wavy edge between two colours. */
function createGlazeTexture(top: string, bottom: string, edge: number): Promise<Buffer> {
  const [a, b] = [bytesOfHex(top), bytesOfHex(bottom)];
  return paint(512, (u, v) => {
    const wave =
      (smoothNoise(u * 8, 3, 8) - 0.5) * 0.16 + (smoothNoise(u * 32, 9, 32) - 0.5) * 0.04;
    const cloud = smoothNoise(u * 16, v * 16, 16) * 0.1;
    return addSpeckles(mixColors(a, b, (v - edge + wave) * 9 + 0.5 - cloud), u, v);
  });
}

/** Creates coarse woven cloth, without a seam where the texture repeats. */
function createClothTexture(color: string): Promise<Buffer> {
  const base = bytesOfHex(color);
  const dark = mixColors(base, [0, 0, 0], 0.38);
  const light = mixColors(base, [255, 255, 255], 0.14);
  return paint(256, (u, v) => {
    const [x, y] = [u * 32, v * 32];
    const isOver = (Math.floor(x) + Math.floor(y)) % 2 === 0;
    const across = isOver ? y : x;
    const round = Math.sin((across - Math.floor(across)) * Math.PI);
    const thread = computeNoise(Math.floor(x), Math.floor(y)) * 0.3;
    return mixColors(dark, light, round * 0.75 + thread);
  });
}

/** Creates a clock face: a ring of minute marks, longer and wider at the hours, most of all at the quarters. */
function createDialTexture(paper: string, ink: string): Promise<Buffer> {
  const [back, mark] = [bytesOfHex(paper), bytesOfHex(ink)];
  return paint(512, (u, v) => {
    const [x, y] = [u * 2 - 1, v * 2 - 1];
    const radius = Math.hypot(x, y);
    const turn = (Math.atan2(x, -y) / (Math.PI * 2) + 1) % 1;
    const off = (parts: number): number => {
      const part = turn * parts;
      return (Math.abs(part - Math.round(part)) / parts) * Math.PI * 2 * radius;
    };
    const quarter = off(4) < 0.028 && radius > 0.68 && radius < 0.9;
    const hour = off(12) < 0.016 && radius > 0.74 && radius < 0.9;
    const minute = off(60) < 0.006 && radius > 0.85 && radius < 0.9;
    return quarter || hour || minute ? mark : back;
  });
}
