// Reads the size of an uploaded SVG from its root element. SVGs are never drawn: a few hundred bytes can take minutes.
import type { ImageInspection } from './image-inspection.ts';

/** The start tag of the root element must end within these bytes. */
export const svgHeadBytes = 64 * 1024;

/** Pixels per unit, at 72 per inch. */
const units: Readonly<Record<string, number>> = {
  '': 1,
  px: 1,
  pt: 1,
  pc: 12,
  in: 72,
  cm: 72 / 2.54,
  mm: 72 / 25.4,
};

/** Uses `width` and `height`, and `viewBox` for each of them that is unusable. @param head first bytes of the file */
export function parseSvgSize(head: Uint8Array, maxPixels: number): ImageInspection {
  const [root] = /<svg(?=[\s/>])[^>]*>/.exec(textOf(head)) ?? [];
  if (root === undefined) return { problem: 'the file is not an SVG' };
  const [, , boxWidth, boxHeight] = (readAttribute(root, 'viewBox') ?? '').trim().split(/[\s,]+/);
  const width = parsePixels(readAttribute(root, 'width')) ?? parsePixels(boxWidth);
  const height = parsePixels(readAttribute(root, 'height')) ?? parsePixels(boxHeight);
  if (width === undefined || height === undefined)
    return { problem: 'the file has no valid size (width and height, or viewBox)' };
  if (width * height > maxPixels) return { problem: 'the file exceeds the pixel limit' };
  return { width, height };
}

function textOf(bytes: Uint8Array): string {
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
}

function readAttribute(element: string, name: string): string | undefined {
  return new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`).exec(element)?.[1];
}

function parsePixels(text: string | undefined): number | undefined {
  const [, value = '', unit = ''] =
    /^\s*\+?(\d{1,9}(?:\.\d{0,9})?)([a-z]{0,2})\s*$/.exec(text ?? '') ?? [];
  const scale = units[unit];
  const length = scale === undefined ? 0 : Math.round(Number(value) * scale);
  return length > 0 ? length : undefined;
}
