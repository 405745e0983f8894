// Maps colours to the names people search for.
import sharp from 'sharp';
import { bytesOfHex, hexOfBytes, linearOfByte } from '../drawing/color.ts';
import type { Rgb } from '../scene/scene-types.ts';

/** Named colours in sRGB. A colour gets the name of the nearest one in Lab. */
const named: Readonly<Record<string, readonly Rgb[]>> = {
  black: [
    [12, 12, 12],
    [32, 32, 34],
  ],
  white: [
    [255, 255, 255],
    [242, 242, 240],
  ],
  grey: [
    [128, 128, 128],
    [84, 84, 86],
    [186, 186, 186],
  ],
  red: [
    [200, 20, 30],
    [235, 60, 55],
    [140, 15, 25],
  ],
  orange: [
    [240, 130, 30],
    [210, 100, 30],
  ],
  yellow: [
    [250, 220, 40],
    [225, 190, 60],
  ],
  green: [
    [40, 150, 60],
    [20, 85, 40],
    [120, 200, 90],
    [110, 120, 50],
  ],
  turquoise: [
    [50, 200, 190],
    [20, 130, 130],
  ],
  blue: [
    [30, 80, 200],
    [20, 35, 110],
    [90, 160, 235],
    [0, 0, 255],
    [0, 0, 128],
    [160, 210, 235],
  ],
  purple: [
    [120, 40, 160],
    [70, 25, 100],
    [170, 120, 210],
    [75, 0, 130],
  ],
  pink: [
    [245, 150, 185],
    [230, 80, 150],
  ],
  brown: [
    [110, 65, 35],
    [75, 45, 25],
    [150, 100, 60],
  ],
  beige: [
    [225, 205, 170],
    [200, 175, 135],
  ],
};

const names: readonly { name: string; lab: Rgb }[] = Object.entries(named).flatMap(([name, list]) =>
  list.map((rgb) => ({ name, lab: labOf(rgb) })),
);

/** The word for a `#RRGGBB` colour: `red`, `beige` … */
export function colorName(hex: string): string {
  const lab = labOf(bytesOfHex(hex));
  const distance = ([l, a, b]: Rgb) => Math.hypot(l - lab[0], a - lab[1], b - lab[2]);
  let nearest = names[0];
  for (const entry of names) {
    if (nearest === undefined || distance(entry.lab) < distance(nearest.lab)) nearest = entry;
  }
  return nearest?.name ?? '';
}

/** The dominant colour of an image as `#RRGGBB`; mostly transparent pixels do not count, unless all are. */
export async function findDominantColor(image: Buffer): Promise<string> {
  const { data } = await sharp(image)
    .resize({ width: 128, height: 128, fit: 'fill', kernel: 'nearest' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const seen: number[] = [];
  for (let at = 0; at < data.length; at += 4) {
    if ((data[at + 3] ?? 0) >= 128) seen.push(data[at] ?? 0, data[at + 1] ?? 0, data[at + 2] ?? 0);
  }
  const pixels = seen.length > 0 ? seen : [...data.subarray(0, 3)];
  const { dominant } = await sharp(Buffer.from(pixels), {
    raw: { width: pixels.length / 3, height: 1, channels: 3 },
  }).stats();
  return hexOfBytes([dominant.r, dominant.g, dominant.b]);
}

/** CIE Lab under D65. */
function labOf(rgb: Rgb): Rgb {
  const linear = (byte: number) => linearOfByte[byte] ?? 0;
  const [r, g, b] = [linear(rgb[0]), linear(rgb[1]), linear(rgb[2])];
  const curve = (share: number) => (share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116);
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
