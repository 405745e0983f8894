// Maps colours to names that people search for.
import sharp from 'sharp';
import { bytesOfHex, hexOfBytes, linearOfByte } from '../drawing/color.ts';
import type { Rgb } from '../scene/scene-types.ts';

/** Named colours in sRGB. A colour is named after the nearest one in Lab. */
const hexesByName: Readonly<Record<string, string>> = {
  black: '#0c0c0c #202022',
  white: '#ffffff #f2f2f0',
  grey: '#808080 #545456 #bababa',
  red: '#c8141e #eb3c37 #8c0f19',
  orange: '#f0821e #d2641e',
  yellow: '#fadc28 #e1be3c',
  green: '#28963c #145528 #78c85a #6e7832',
  turquoise: '#32c8be #148282',
  blue: '#1e50c8 #14236e #5aa0eb #0000ff #000080 #a0d2eb',
  purple: '#7828a0 #461964 #aa78d2 #4b0082',
  pink: '#f596b9 #e65096',
  brown: '#6e4123 #4b2d19 #96643c',
  beige: '#e1cdaa #c8af87',
};

const names: readonly { name: string; lab: Rgb }[] = Object.entries(hexesByName).flatMap(
  ([name, colors]) => colors.split(' ').map((hex) => ({ name, lab: labOf(bytesOfHex(hex)) })),
);

/** Returns the word for a `#RRGGBB` colour: `red`, `beige` … */
export function findColorName(hex: string): string {
  const lab = labOf(bytesOfHex(hex));
  const distance = ([l, a, b]: Rgb) => Math.hypot(l - lab[0], a - lab[1], b - lab[2]);
  const nearest = names.reduce((best, other) =>
    distance(other.lab) < distance(best.lab) ? other : best,
  );
  return nearest.name;
}

/** Finds the dominant colour as `#RRGGBB`, ignoring mostly transparent pixels, or the first pixel's if all are. */
export async function findDominantColor(image: Buffer): Promise<string> {
  const { data } = await sharp(image)
    .resize({ width: 128, height: 128, fit: 'fill', kernel: 'nearest' })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const opaquePixels: number[] = [];
  for (let offset = 0; offset < data.length; offset += 4) {
    if ((data[offset + 3] ?? 0) >= 128)
      opaquePixels.push(data[offset] ?? 0, data[offset + 1] ?? 0, data[offset + 2] ?? 0);
  }
  const pixels = opaquePixels.length > 0 ? opaquePixels : [...data.subarray(0, 3)];
  const { dominant } = await sharp(Buffer.from(pixels), {
    raw: { width: pixels.length / 3, height: 1, channels: 3 },
  }).stats();
  return hexOfBytes([dominant.r, dominant.g, dominant.b]);
}

/** Converts a colour to CIE Lab under D65. */
function labOf(rgb: Rgb): Rgb {
  const linear = (byte: number) => linearOfByte[byte] ?? 0;
  const [r, g, b] = [linear(rgb[0]), linear(rgb[1]), linear(rgb[2])];
  const curve = (share: number) => (share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116);
  const x = curve((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.95047);
  const y = curve(0.2126 * r + 0.7152 * g + 0.0722 * b);
  const z = curve((0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
