// Encoded files: format, depth, channels and colour.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { depthOf, encodePicture } from '../../../src/drawing/pictures/encode.ts';
import { createPicture, type RawPicture } from '../../../src/drawing/pictures/picture.ts';
import { encodeThumbnail } from '../../../src/drawing/pictures/thumbnail.ts';
import { decodedCenter } from '../_pictures.ts';

function plain(
  width: number,
  height: number,
  color: readonly number[],
  depth: 8 | 16 = 8,
): RawPicture {
  const picture = createPicture(width, height, depth);
  for (let at = 0; at < picture.data.length; at += 1) {
    picture.data[at] = at % 4 === 3 ? (depth === 16 ? 65535 : 255) : (color[at % 4] ?? 0);
  }
  return picture;
}

describe('encodePicture', () => {
  it.each([
    ['PNG', 'png', 'uchar', 'srgb'],
    ['JPEG', 'jpeg', 'uchar', 'srgb'],
    ['TIFF', 'tiff', 'ushort', 'rgb16'],
  ] as const)(
    'a picture in the format %s is encoded as %s with %s samples in %s, without alpha',
    async (format, name, depth, space) => {
      const bytes = await encodePicture(plain(30, 20, [200, 100, 50], depthOf(format)), format);
      const info = await sharp(bytes).metadata();
      expect(info).toMatchObject({
        format: name,
        width: 30,
        height: 20,
        depth,
        space,
        channels: 3,
      });
      expect(info.hasAlpha).toBe(false);
    },
  );

  it.each([
    ['PNG', true, [200, 100, 50, 0]],
    ['TIFF', true, [200, 100, 50, 0]],
    ['JPEG', false, [255, 255, 255]],
  ] as const)(
    'a picture with alpha, encoded in the format %s, keeps its alpha: %s',
    async (format, hasAlpha, color) => {
      const depth = depthOf(format);
      const picture = plain(
        16,
        16,
        depth === 16 ? [51_400, 25_700, 12_850] : [200, 100, 50],
        depth,
      );
      for (let at = 3; at < picture.data.length; at += 4) picture.data[at] = 0;
      const bytes = await encodePicture({ ...picture, hasAlpha: true }, format);
      expect((await sharp(bytes).metadata()).hasAlpha).toBe(hasAlpha);
      const { data } = await sharp(bytes)
        .toColourspace('srgb')
        .raw({ depth: 'uchar' })
        .toBuffer({ resolveWithObject: true });
      expect([...data.subarray(0, color.length)]).toEqual(color);
    },
  );

  it.each(['PNG', 'JPEG'] as const)(
    'a picture in the format %s shows the colours that were drawn',
    async (format) => {
      const bytes = await encodePicture(plain(16, 16, [200, 100, 50]), format);
      const shown = await decodedCenter(bytes);
      [200, 100, 50].forEach((value, channel) => {
        expect(Math.abs((shown[channel] ?? -1) - value)).toBeLessThanOrEqual(
          format === 'PNG' ? 0 : 3,
        );
      });
    },
  );

  it('a TIFF keeps all sixteen bits', async () => {
    const bytes = await encodePicture(plain(4, 4, [51401, 25702, 3], 16), 'TIFF');
    const { data } = await sharp(bytes)
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true });
    expect([0, 2, 4].map((at) => data.readUInt16LE(at))).toEqual([51401, 25702, 3]);
  });

  it('the same picture is always encoded to the same bytes', async () => {
    const picture = plain(64, 64, [1, 2, 3]);
    expect(await encodePicture(picture, 'PNG')).toEqual(await encodePicture(picture, 'PNG'));
  });
});

describe('encodeThumbnail', () => {
  it.each([
    [600, 300, 256, [256, 128]],
    [300, 600, 100, [50, 100]],
    [40, 20, 256, [40, 20]],
  ])(
    'the thumbnail of a picture of %d x %d within %d pixels is %j',
    async (width, height, side, expected) => {
      const png = await encodePicture(plain(width, height, [9, 9, 9]), 'PNG');
      const info = await sharp(await encodeThumbnail(png, side)).metadata();
      expect([info.width, info.height]).toEqual(expected);
      expect(info.format).toBe('jpeg');
    },
  );

  it('a thumbnail shows a 16-bit picture with 8 bits', async () => {
    const tiff = await encodePicture(plain(64, 64, [51400, 25700, 12850], 16), 'TIFF');
    const [red, green, blue] = await decodedCenter(await encodeThumbnail(tiff, 32));
    expect(Math.abs(red - 200) + Math.abs(green - 100) + Math.abs(blue - 50)).toBeLessThan(9);
  });
});
