// Placeholder pictures for models that are not drawn, with the file's name and type.
import type { Rgb } from '../../scene/scene-types.ts';
import { drawText, fitText, lineRows } from './bitmap-font.ts';
import { makePicture, type PictureDepth, type RawPicture } from './picture.ts';

export type PlaceholderOptions = {
  readonly name: string;
  readonly fileType: string;
  readonly width: number;
  readonly height: number;
  /** A short reason why the model is not shown. */
  readonly reason?: string | undefined;
  readonly depth?: PictureDepth | undefined;
};

const paper: Rgb = [236, 238, 241];
const stripe: Rgb = [228, 231, 235];
const frame: Rgb = [176, 183, 192];
const dark: Rgb = [52, 60, 71];
const soft: Rgb = [110, 119, 130];

type Line = { readonly text: string; readonly scale: number; readonly color: Rgb };

/** Draws a placeholder: a striped card with the type in large letters, the name, and the reason. */
export function drawPlaceholder(options: PlaceholderOptions): RawPicture {
  const { name, fileType, width, height } = options;
  const picture = makePicture(width, height, options.depth ?? 8);
  paintPaper(picture);
  const room = width * 0.86;
  const unit = Math.max(1, Math.floor(Math.min(width / 160, height / 62)));
  const plain = (text: string, scale: number, color: Rgb): Line => ({
    text: fitText(text, scale, room),
    scale,
    color,
  });
  const lines = [
    plain(fileType.toUpperCase() || 'MODEL', unit * 2, dark),
    plain(name, unit, dark),
    plain('PLACEHOLDER', unit, soft),
    plain(
      options.reason ?? `${fileType.toUpperCase()} is not drawn here`,
      Math.max(1, unit >> 1),
      soft,
    ),
  ];
  const gap = unit * 3;
  const total = lines.reduce((sum, { scale }) => sum + lineRows * scale, gap * (lines.length - 1));
  let top = Math.floor((height - total) / 2);
  for (const line of lines) {
    paintLine(picture, line, top);
    top += lineRows * line.scale + gap;
  }
  return picture;
}

function put({ data }: RawPicture, pixel: number, [red, green, blue]: Rgb): void {
  const unit = data instanceof Uint16Array ? 257 : 1;
  data[pixel * 4] = red * unit;
  data[pixel * 4 + 1] = green * unit;
  data[pixel * 4 + 2] = blue * unit;
  data[pixel * 4 + 3] = 255 * unit;
}

function paintPaper(picture: RawPicture): void {
  const { width, height } = picture;
  const side = Math.min(width, height);
  const period = Math.max(8, Math.floor(side / 9));
  const inset = Math.floor(side / 28);
  const line = Math.max(1, Math.floor(side / 240));
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const border = Math.min(x, y, width - 1 - x, height - 1 - y) - inset;
      const striped = (x + y) % period < period / 2;
      put(picture, y * width + x, border >= 0 && border < line ? frame : striped ? stripe : paper);
    }
  }
}

function paintLine(picture: RawPicture, { text, scale, color }: Line, top: number): void {
  const mask = drawText(text, scale);
  const left = Math.floor((picture.width - mask.width) / 2);
  for (let y = 0; y < mask.height; y += 1) {
    for (let x = 0; x < mask.width; x += 1) {
      const [toX, toY] = [left + x, top + y];
      if (mask.ink[y * mask.width + x] !== 1) continue;
      if (toX < 0 || toY < 0 || toX >= picture.width || toY >= picture.height) continue;
      put(picture, toY * picture.width + toX, color);
    }
  }
}
