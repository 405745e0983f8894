// Images of channels, delivered and checked: which renders pass, which fail with a marked picture, and whether
// independent tools agree.
import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { decode } from 'jpeg-js';
import sharp, { type Sharp } from 'sharp';
import { describe, expect, it } from 'vitest';
import { applyChannels } from '../../src/features/delivery/channels/apply-channels.ts';
import type { ImageOptions } from '../../src/features/delivery/images/image-fields.ts';
import { Images } from '../../src/features/delivery/images/image-options.ts';
import { openRunStore } from '../../src/features/run-store.ts';
import type { Json } from '../../src/plan/types.ts';
import { runExifTool } from '../pictures/_exiftool.ts';
import { runContext } from './_context.ts';
import { codes, paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();

/** A dark red product with a pale stripe, 600 x 360 in the middle of 1200 x 675. */
const product = (shadow = '') =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675">${shadow}<ellipse cx="600" cy="337" rx="300" ry="180" fill="#a02818"/><rect x="520" y="160" width="60" height="355" fill="#f6f6f4"/></svg>`,
    ),
  );
/** A white product with a dark sole, which fades into white at the top. */
const paleProduct = (shadow = '') =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675">${shadow}<linearGradient id="g" x2="0" y2="1"><stop stop-color="#ffffff"/><stop offset="1" stop-color="#efefed"/></linearGradient><ellipse cx="600" cy="337" rx="300" ry="180" fill="url(#g)"/><rect x="480" y="480" width="240" height="30" fill="#302820"/></svg>`,
    ),
  );
const fixedSize = {
  format: 'JPEG',
  width: 400,
  height: 400,
  fit: 'contain',
  padding: 20,
  naming: 'a.jpg',
  checks: { background: 'white' },
};
const shape =
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675"><ellipse cx="600" cy="337" rx="300" ry="180" fill="#a02818"/></svg>';
/** Like a studio backdrop: lighter towards the floor, nowhere white. */
const gradient = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="675"><linearGradient id="g" x2="0" y2="1"><stop stop-color="#e4e6e8"/><stop offset="1" stop-color="#f4f4f3"/></linearGradient><rect width="1200" height="675" fill="url(#g)"/></svg>',
);
const softShadow =
  '<defs><filter id="b"><feGaussianBlur stdDeviation="18"/></filter></defs><ellipse cx="600" cy="530" rx="260" ry="30" opacity="0.4" filter="url(#b)"/>';

function imagesOf(...images: Record<string, Json>[]): ImageOptions[] {
  return Images.parse(applyChannels({ images }, {}).config['images']);
}

const main = { channel: 'amazon-main' };
const web = { channel: 'web', naming: 'web/{{ key }}.{{ ext }}' };

async function deliverPicture(picture: Sharp, images: ImageOptions[], fileType = 'PNG') {
  const output = delivery.output('1', 'Front', { fileType });
  const bytes = fileType === 'TIFF' ? picture.tiff({ compression: 'lzw' }) : picture.png();
  delivery.platform.pictures.set('1.png', await bytes.toBuffer());
  const asset = delivery.rendered('shoe', output);
  return delivery.run('{{ key }}.{{ ext }}', [asset], { images, original: false });
}

const at = (path: string) => join(delivery.folder, path);

/** Bounds of the non-white pixels, and whether all edges are white. The measurement uses no code of the product. */
async function lookAt(path: string) {
  const { data, info } = await sharp(await readFile(at(path)), { ignoreIcc: true })
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return measure(data, { ...info, channels: 3 });
}

function measure(
  data: Uint8Array,
  { width, height, channels }: { width: number; height: number; channels: number },
) {
  const isWhite = (x: number, y: number, levels: number) =>
    [0, 1, 2].every((channel) => (data[(y * width + x) * channels + channel] ?? 0) >= 255 - levels);
  const [xs, ys]: [Set<number>, Set<number>] = [new Set(), new Set()];
  let whiteEdges = true;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isEdge = x === 0 || y === 0 || x === width - 1 || y === height - 1;
      if (isEdge && !isWhite(x, y, 0)) whiteEdges = false;
      if (isWhite(x, y, 4)) continue;
      xs.add(x);
      ys.add(y);
    }
  }
  const span = (values: Set<number>) => Math.max(...values) - Math.min(...values) + 1;
  return { width, height, whiteEdges, fill: Math.max(span(xs) / width, span(ys) / height) };
}

describe('the main image for Amazon', () => {
  it.each([
    ['PNG', () => product()],
    ['TIFF', () => product().toColourspace('rgb16')],
  ])('the main image of a transparent %s passes', async (fileType, picture) => {
    const results = await deliverPicture(picture(), imagesOf(main, web), fileType);
    expect(codes(results)).toEqual(['done']);
    expect(paths(results)).toEqual(['shoe.MAIN.jpg', 'web/shoe.webp']);
    expect(delivery.platform.count('GET /cdn/1.png')).toBe(1);
    const seen = await lookAt('shoe.MAIN.jpg');
    expect(seen).toMatchObject({ width: 666, height: 666, whiteEdges: true });
    expect(seen.fill).toBeGreaterThanOrEqual(0.88);
    const { format, hasAlpha, icc } = await sharp(at('shoe.MAIN.jpg')).metadata();
    expect({ format, hasAlpha, hasProfile: icc !== undefined }).toEqual({
      format: 'jpeg',
      hasAlpha: false,
      hasProfile: true,
    });
    const small = await sharp(at('web/shoe.webp')).metadata();
    expect(small).toMatchObject({ width: 1_200, height: 675, hasAlpha: true });
  });

  it('the main image of an opaque render on white passes', async () => {
    const results = await deliverPicture(product().flatten({ background: '#fff' }), imagesOf(main));
    expect(codes(results)).toEqual(['done']);
    expect((await lookAt('shoe.MAIN.jpg')).fill).toBeGreaterThanOrEqual(0.88);
  });

  // A white shoe. Its colour does not differ from the background, but its pixels are opaque.
  it.each<[string, () => Sharp, Record<string, Json>, string]>([
    ['PNG', () => paleProduct(), main, 'PNG'],
    ['TIFF', () => paleProduct().toColourspace('rgb16'), main, 'TIFF'],
    ['PNG in a fixed size', () => paleProduct(), fixedSize, 'PNG'],
  ])('the main image of a white product on transparency passes: %s', async (...row) => {
    const [, picture, image, fileType] = row;
    const results = await deliverPicture(picture(), imagesOf(image), fileType);
    expect(codes(results)).toEqual(['done']);
  });

  it('the main image is never enlarged beyond its pixels', async () => {
    const small = product().resize({ width: 400 });
    const results = await deliverPicture(
      small,
      imagesOf({ ...main, checks: { longestSide: false } }),
    );
    expect(codes(results)).toEqual(['done']);
    expect(await lookAt('shoe.MAIN.jpg')).toMatchObject({ width: 222, height: 222 });
  });
});

describe('an image that fails a check', () => {
  const grey = '#edeef0';
  it.each<[string, () => Sharp, Record<string, Json>, string, RegExp, 'marked' | 'plain']>([
    [
      'a studio backdrop',
      () => product().flatten({ background: grey }),
      main,
      'IMAGE_BACKGROUND',
      /^image "shoe.MAIN.jpg" of output "Front" \(1\) for channel amazon-main: it has #edeef0 \(237, 238, 240\) at its edges, and 100% of them are not #ffffff \(255, 255, 255\) \(checks.background: https:\S+, unverified\)$/,
      'marked',
    ],
    [
      'a multicoloured backdrop padded with white',
      () => sharp(gradient).composite([{ input: Buffer.from(shape) }]),
      main,
      'IMAGE_BACKGROUND',
      /it has #\w{6} \(2\d\d, 2\d\d, 2\d\d\) at its edges, and 100% of them are not #ffffff/,
      'marked',
    ],
    [
      'a studio backdrop at a fixed size with padding',
      () => product().flatten({ background: grey }),
      fixedSize,
      'IMAGE_BACKGROUND',
      /it has #e[def]\w{4} \(23\d, 23\d, 24\d\) at its edges, and 100% of them/,
      'marked',
    ],
    [
      'a soft shadow',
      () => product(softShadow),
      main,
      'IMAGE_BACKGROUND',
      /it is not #ffffff \(255, 255, 255\) in [\d.]+% of the area around the object, more than 0.5%/,
      'marked',
    ],
    [
      'a soft shadow of a white product',
      () => paleProduct(softShadow),
      main,
      'IMAGE_BACKGROUND',
      /it is not #ffffff \(255, 255, 255\) in [\d.]+% of the area around the object, more than 0.5%/,
      'marked',
    ],
    [
      'a padded studio backdrop with an alpha channel that is opaque',
      () => product().flatten({ background: grey }).ensureAlpha(),
      fixedSize,
      'IMAGE_BACKGROUND',
      /it has #e[def]\w{4} \(23\d, 23\d, 24\d\) at its edges, and 100% of them/,
      'marked',
    ],
    [
      'an object that fills too little of the frame',
      () => product(),
      { ...main, fill: '50%' },
      'IMAGE_FILL',
      /it shows an object that fills 5\d% of the frame, less than 85%/,
      'marked',
    ],
    [
      'a render that is too small',
      () => product().resize({ width: 400 }),
      main,
      'IMAGE_SIZE',
      /it is 222 x 222 pixels, but its longest side must be at least 500/,
      'plain',
    ],
    [
      'a file that is too large',
      () => product(),
      { format: 'PNG', naming: 'a.png', checks: { maxBytes: 900 } },
      'IMAGE_BYTES',
      /^image "a.png" of output "Front" \(1\): it has \d+ bytes, more than 900$/,
      'plain',
    ],
  ])(
    '%s: the asset fails, and its other images are delivered',
    async (_, picture, image, code, message, marks) => {
      const results = await deliverPicture(picture(), imagesOf(image, web));
      expect(codes(results)).toEqual([code]);
      expect(results[0]).toMatchObject({ message: expect.stringMatching(message) });
      expect(await delivery.files()).toEqual(['web/shoe.webp']);
      const kept = await openRunStore(delivery.records, runContext()).failedImages.read('shoe');
      expect(kept?.picture.length).toBeLessThan(60_000);
      expect((await countMagenta(kept?.picture)) > 100).toBe(marks === 'marked');
    },
  );

  it('the message of a failed check contains all reasons', async () => {
    const images = imagesOf(main, { channel: 'shopify', checks: { longestSide: { min: 1_300 } } });
    const [result] = await deliverPicture(product().flatten({ background: grey }), images);
    expect(result).toMatchObject({ code: 'IMAGE_BACKGROUND' });
    expect(JSON.stringify(result)).toContain('for channel shopify: it is 1200 x 1200 pixels');
  });

  it('the original is delivered although its image fails', async () => {
    const output = delivery.output('1', 'Front');
    const grey16 = product().flatten({ background: grey }).png();
    delivery.platform.pictures.set('1.png', await grey16.toBuffer());
    const asset = delivery.rendered('shoe', output);
    const results = await delivery.run('{{ key }}.{{ ext }}', [asset], { images: imagesOf(main) });
    expect(codes(results)).toEqual(['IMAGE_BACKGROUND']);
    expect(await delivery.files()).toEqual(['shoe.png']);
  });
});

/** Pixels near magenta; JPEG changes them a little. */
async function countMagenta(jpeg: Buffer | undefined): Promise<number> {
  const { data } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  let count = 0;
  for (let pixel = 0; pixel < data.length; pixel += 3) {
    const [red = 0, green = 0, blue = 0] = data.subarray(pixel, pixel + 3);
    if (red > 170 && green < 110 && blue > 170) count += 1;
  }
  return count;
}

/** Null if the tool is not installed. */
function runTool(command: string, ...args: string[]): string | null {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return null;
  }
}

describe('a main image that independent tools decode', () => {
  const isInstalled = (command: string, argument: string) => runTool(command, argument) !== null;
  it.skipIf(!isInstalled('identify', '-version'))(
    'ImageMagick confirms the size, the white edge and the fill (skipped if not installed)',
    async () => {
      await deliverPicture(product(), imagesOf(main));
      const file = at('shoe.MAIN.jpg');
      expect(runTool('identify', '-format', '%m %w %h %A', file)).toMatch(
        /^JPEG 666 666 (?:Undefined|False|Blend)?/,
      );
      const edge = ['-gravity', 'north', '-crop', '666x1+0+0', '-format', '%[fx:minima]', 'info:'];
      expect(runTool('convert', file, ...edge)).toBe('1');
      const trimmed = runTool('convert', file, '-fuzz', '2%', '-format', '%@', 'info:') ?? '';
      expect(Number.parseInt(trimmed, 10) / 666).toBeGreaterThanOrEqual(0.85);
    },
  );

  it('ExifTool confirms the size and the sRGB profile', async () => {
    await deliverPicture(product(), imagesOf(main));
    const text = runExifTool('-s', '-ImageSize', '-ProfileDescription', at('shoe.MAIN.jpg'));
    expect(text).toMatch(/666x666/);
    expect(text).toMatch(/sRGB/);
  });

  it('a JPEG decoder in JavaScript confirms the size, the white edges and the fill', async () => {
    await deliverPicture(product(), imagesOf(main));
    const { data, width, height } = decode(await readFile(at('shoe.MAIN.jpg')), {
      useTArray: true,
    });
    const seen = measure(data, { width, height, channels: 4 });
    expect(seen).toMatchObject({ width: 666, height: 666, whiteEdges: true });
    expect(seen.fill).toBeGreaterThanOrEqual(0.85);
  });
});
