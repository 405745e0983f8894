// Placeholder pictures for models that are not drawn, with the file's name and type.
import { OutlineFont } from 'renderline/pictures/outline-font';
import sharp from 'sharp';
import { createPicture, type PictureDepth, type RawPicture } from './picture.ts';

export type PlaceholderOptions = {
  readonly name: string;
  readonly fileType: string;
  readonly width: number;
  readonly height: number;
  /** A short reason why the model is not shown. */
  readonly reason?: string | undefined;
  readonly depth?: PictureDepth | undefined;
};

const paper = '#eceef1';
const stripe = '#e4e7eb';
const frame = '#b0b7c0';
const dark = '#343c47';
const soft = '#6e7782';

let loadedFont: Promise<OutlineFont> | undefined;

/** Draws a placeholder: a striped card with the type in large letters, the name, and the reason. */
export async function drawPlaceholder(options: PlaceholderOptions): Promise<RawPicture> {
  const picture = createPicture(options.width, options.height, options.depth ?? 8);
  loadedFont ??= OutlineFont.load();
  const svg = Buffer.from(formatCardSvg(options, await loadedFont));
  const bytes = await sharp(svg).ensureAlpha().raw().toBuffer();
  const unit = options.depth === 16 ? 257 : 1;
  picture.data.set(unit === 1 ? bytes : Uint16Array.from(bytes, (value) => value * unit));
  return picture;
}

function formatCardSvg(
  { name, fileType, width, height, reason }: PlaceholderOptions,
  font: OutlineFont,
) {
  const side = Math.min(width, height);
  const period = Math.max(8, Math.floor(side / 9));
  const inset = Math.floor(side / 28);
  const line = Math.max(1, Math.floor(side / 240));
  const type = fileType.toUpperCase();
  const size = Math.max(8, Math.min(width / 17, height / 6.6));
  const lines = [
    { text: type || 'MODEL', size: size * 2, color: dark },
    { text: name, size, color: dark },
    { text: 'PLACEHOLDER', size, color: soft },
    { text: reason ?? `${type} is not drawn here`, size: Math.max(8, size / 2), color: soft },
  ];
  const gap = size / 3;
  const total = lines.reduce((sum, textLine) => sum + textLine.size, gap * (lines.length - 1));
  let top = (height - total) / 2;
  const texts = lines.map((textLine) => {
    const text = font.fit(textLine.text, textLine.size, width * 0.86);
    const left = (width - font.widthOf(text, textLine.size)) / 2;
    const baseline = top + textLine.size * 0.8;
    top += textLine.size + gap;
    return font.toSvg({ ...textLine, text, left, baseline });
  });
  const border = `x="${inset}" y="${inset}" width="${width - 2 * inset}" height="${height - 2 * inset}"`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
<pattern id="stripes" width="${period}" height="${period}" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
<rect width="${period}" height="${period}" fill="${paper}"/><rect width="${period / 2}" height="${period}" fill="${stripe}"/>
</pattern>
<rect width="100%" height="100%" fill="${paper}"/><rect width="100%" height="100%" fill="url(#stripes)"/>
<rect ${border} fill="none" stroke="${frame}" stroke-width="${line}"/>
${texts.join('\n')}
</svg>`;
}
