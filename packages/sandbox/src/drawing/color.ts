// Converts between sRGB and linear light, with tables for speed.
import type { Rgb } from '../scene/scene-types.ts';

function decode(value: number): number {
  return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
}

function encode(value: number): number {
  return value <= 0.0031308 ? value * 12.92 : 1.055 * value ** (1 / 2.4) - 0.055;
}

/** The linear value of each sRGB byte. */
export const linearOfByte: Float32Array = Float32Array.from({ length: 256 }, (_, byte) =>
  decode(byte / 255),
);

const steps = 8192;
const byteOfStep = Uint8Array.from({ length: steps + 1 }, (_, step) =>
  Math.round(encode(step / steps) * 255),
);
// The table's steps are spaced by square root, since 16 bits need fine steps in the dark.
const shortOfRoot = Uint16Array.from({ length: steps + 1 }, (_, step) =>
  Math.round(encode((step / steps) ** 2) * 65535),
);

function clamp(value: number): number {
  // NaN becomes 0, because every pixel needs a colour.
  return value > 0 ? (value < 1 ? value : 1) : 0;
}

/** Converts a linear value (0 to 1) to an sRGB byte. */
export function toByte(linear: number): number {
  return byteOfStep[(clamp(linear) * steps + 0.5) | 0] as number;
}

/** Converts a linear value (0 to 1) to 16-bit sRGB. */
export function toShort(linear: number): number {
  const position = Math.sqrt(clamp(linear)) * steps;
  const low = position | 0;
  const a = shortOfRoot[low] as number;
  const b = shortOfRoot[low < steps ? low + 1 : low] as number;
  return (a + (b - a) * (position - low) + 0.5) | 0;
}

/** Converts '#rrggbb' to bytes. @throws Error for other text */
export function bytesOfHex(hex: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`"${hex}" is not a colour like #1a2b3c.`);
  const value = Number.parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

/** Converts bytes to '#rrggbb'. */
export function hexOfBytes([red, green, blue]: Rgb): string {
  const digits = (value: number) => value.toString(16).padStart(2, '0');
  return `#${digits(red)}${digits(green)}${digits(blue)}`;
}

/** Converts '#rrggbb' to linear r, g, b. @throws Error for other text */
export function linearOfHex(hex: string): Rgb {
  const [red, green, blue] = bytesOfHex(hex);
  return [linearOfByte[red] as number, linearOfByte[green] as number, linearOfByte[blue] as number];
}
