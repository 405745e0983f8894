// Converts samples to pixels: each visible triangle of a pixel is shaded once and weighted by its coverage.
import { toByte, toShort } from './color.ts';
import type { RawPicture } from './pictures/picture.ts';
import { type Band, type Corner, type Corners, computeSignedArea } from './raster.ts';
import type { Shade, Shader } from './shader.ts';

type PixelColor = (x: number, y: number, out: Shade) => void;

const shade: Shade = { red: 0, green: 0, blue: 0, alpha: 1 };

/** Shades the solid triangles and the backdrop of a band into linear r, g, b. */
export function resolveBand(
  band: Band,
  shader: Shader,
  backdrop: PixelColor,
  out: Float32Array,
): void {
  const { width, rows, firstRow } = pixelsOf(band);
  const n = band.perPixel;
  const samples = n * n;
  const owners = new Int32Array(samples);
  const color = (owner: number, x: number, y: number): void => {
    if (owner === -1) backdrop(x, y, shade);
    else shader.shade(owner, x, y, shade);
  };
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const offset = (row * width + column) * 3;
      const y = firstRow + row;
      if (readOwners(band, row, column, owners)) {
        color(owners[0] as number, column + 0.5, y + 0.5);
        out[offset] = shade.red;
        out[offset + 1] = shade.green;
        out[offset + 2] = shade.blue;
        continue;
      }
      out[offset] = out[offset + 1] = out[offset + 2] = 0;
      for (let index = 0; index < samples; index += 1) {
        const owner = owners[index] as number;
        if (owner === countedMark) continue;
        let count = 0;
        let sumX = 0;
        let sumY = 0;
        for (let other = index; other < samples; other += 1) {
          if (owners[other] !== owner) continue;
          owners[other] = countedMark;
          count += 1;
          sumX += (other % n) + 0.5;
          sumY += Math.floor(other / n) + 0.5;
        }
        // The centre of the covered samples lies on the triangle, whereas the centre of the pixel may not.
        color(owner, column + sumX / (count * n), y + sumY / (count * n));
        const share = count / samples;
        out[offset] = (out[offset] as number) + shade.red * share;
        out[offset + 1] = (out[offset + 1] as number) + shade.green * share;
        out[offset + 2] = (out[offset + 2] as number) + shade.blue * share;
      }
    }
  }
}

/** Returns the size and first row of a band in pixels. */
function pixelsOf({ width, rows, firstRow, perPixel }: Band) {
  return { width: width / perPixel, rows: rows / perPixel, firstRow: firstRow / perPixel };
}

/** Marks a sample whose triangle is already counted. */
const countedMark = -2;

// Fills in the triangles of a pixel's samples. @returns true if all samples have the same triangle
function readOwners(band: Band, row: number, column: number, owners: Int32Array): boolean {
  const n = band.perPixel;
  let start = row * n * band.width + column * n;
  const first = band.triangle[start] as number;
  let isUniform = true;
  for (let y = 0, index = 0; y < n; y += 1, start += band.width) {
    for (let x = 0; x < n; x += 1, index += 1) {
      const owner = band.triangle[start + x] as number;
      owners[index] = owner;
      isUniform = isUniform && owner === first;
    }
  }
  return isUniform;
}

/** Copies pixel colours to samples, so that no seam shows between adjacent transparent triangles. */
export function spreadToSamples(band: Band, colors: Float32Array, samples: Float32Array): void {
  visitSamples(band, (sample, pixel) => {
    samples[sample * 3] = colors[pixel * 3] as number;
    samples[sample * 3 + 1] = colors[pixel * 3 + 1] as number;
    samples[sample * 3 + 2] = colors[pixel * 3 + 2] as number;
  });
}

/** Averages the samples of each pixel. */
export function gatherFromSamples(band: Band, samples: Float32Array, colors: Float32Array): void {
  const share = 1 / band.perPixel ** 2;
  colors.fill(0);
  visitSamples(band, (sample, pixel) => {
    for (let channel = 0; channel < 3; channel += 1) {
      const offset = pixel * 3 + channel;
      colors[offset] =
        (colors[offset] as number) + (samples[sample * 3 + channel] as number) * share;
    }
  });
}

function visitSamples(band: Band, visit: (sample: number, pixel: number) => void): void {
  const n = band.perPixel;
  const pixels = band.width / n;
  for (let row = 0, sample = 0; row < band.rows; row += 1) {
    const first = Math.floor(row / n) * pixels;
    for (let column = 0; column < band.width; column += 1, sample += 1) {
      visit(sample, first + Math.floor(column / n));
    }
  }
}

/**
 * Returns the distance of a sample inside an edge of a triangle whose area has this sign, multiplied by the length of
 * the edge. The result is negative outside. It is computed from the same end for both triangles of a shared edge, so
 * that each sample, even one on the edge, is inside exactly one of them.
 */
function computeInset(from: Corner, to: Corner, sign: number, x: number, y: number): number {
  const isForward = from.y < to.y || (from.y === to.y && from.x < to.x);
  const [first, last] = isForward ? [from, to] : [to, from];
  const across = (last.x - first.x) * (y - first.y) - (last.y - first.y) * (x - first.x);
  const isFirstSide = isForward === sign > 0;
  if (across === 0) return isFirstSide ? 0 : -1;
  return isFirstSide ? across : -across;
}

/** Blends a transparent triangle over the samples of a band that have nothing solid in front of the triangle. */
export function blendTriangle(
  band: Band,
  triangle: number,
  corners: Corners,
  shader: Shader,
  samples: Float32Array,
): void {
  const { width, rows, firstRow } = pixelsOf(band);
  const n = band.perPixel;
  const [a, b, c] = corners;
  const area = computeSignedArea(corners);
  if (area === 0) return;
  const sign = Math.sign(area);
  const left = Math.max(0, Math.floor(Math.min(a.x, b.x, c.x)));
  const right = Math.min(width - 1, Math.floor(Math.max(a.x, b.x, c.x)));
  const top = Math.max(0, Math.floor(Math.min(a.y, b.y, c.y)) - firstRow);
  const bottom = Math.min(rows - 1, Math.floor(Math.max(a.y, b.y, c.y)) - firstRow);
  const covered = new Int32Array(n * n);
  for (let row = top; row <= bottom; row += 1) {
    for (let column = left; column <= right; column += 1) {
      let count = 0;
      let sumX = 0;
      let sumY = 0;
      for (let index = 0; index < n * n; index += 1) {
        const x = column + ((index % n) + 0.5) / n;
        const y = firstRow + row + (Math.floor(index / n) + 0.5) / n;
        const besideAB = computeInset(a, b, sign, x, y);
        const besideCA = computeInset(c, a, sign, x, y);
        if (besideAB < 0 || besideCA < 0 || computeInset(b, c, sign, x, y) < 0) continue;
        const weightB = besideCA / Math.abs(area);
        const weightC = besideAB / Math.abs(area);
        const inverse =
          a.inverse + weightB * (b.inverse - a.inverse) + weightC * (c.inverse - a.inverse);
        const offset = (row * n + Math.floor(index / n)) * band.width + column * n + (index % n);
        if (inverse < (band.depth[offset] as number)) continue;
        covered[count] = offset;
        count += 1;
        sumX += x;
        sumY += y;
      }
      if (count === 0) continue;
      shader.shade(triangle, sumX / count, sumY / count, shade);
      const keep = 1 - shade.alpha;
      for (let index = 0; index < count; index += 1) {
        const offset = (covered[index] as number) * 3;
        samples[offset] = (samples[offset] as number) * keep + shade.red;
        samples[offset + 1] = (samples[offset + 1] as number) * keep + shade.green;
        samples[offset + 2] = (samples[offset + 2] as number) * keep + shade.blue;
      }
    }
  }
}

/**
 * Removes a white backdrop from the colours of a band.
 * @returns the share of each pixel, 0 to 1, that solid triangles cover
 */
export function separateBackdrop(band: Band, colors: Float32Array): Float32Array {
  const shares = new Float32Array(colors.length / 3);
  const share = 1 / band.perPixel ** 2;
  visitSamples(band, (sample, pixel) => {
    if (band.triangle[sample] !== -1) shares[pixel] = (shares[pixel] as number) + share;
  });
  shares.forEach((covered, pixel) => {
    for (let offset = pixel * 3; covered > 0 && offset < pixel * 3 + 3; offset += 1) {
      colors[offset] = Math.max(0, ((colors[offset] as number) - (1 - covered)) / covered);
    }
  });
  return shares;
}

/**
 * Writes the finished rows of a band to the picture as sRGB.
 * @param alphas alpha of each pixel, 0 to 1. If absent, all pixels are opaque
 */
export function writeRows(
  picture: RawPicture,
  colors: Float32Array,
  firstRow: number,
  rows: number,
  alphas?: Float32Array,
): void {
  const { data, width } = picture;
  const convert = data instanceof Uint16Array ? toShort : toByte;
  const opaque = data instanceof Uint16Array ? 65535 : 255;
  let to = firstRow * width * 4;
  for (let from = 0; from < rows * width * 3; from += 3, to += 4) {
    data[to] = convert(colors[from] as number);
    data[to + 1] = convert(colors[from + 1] as number);
    data[to + 2] = convert(colors[from + 2] as number);
    data[to + 3] = Math.round(opaque * (alphas?.[from / 3] ?? 1));
  }
}
