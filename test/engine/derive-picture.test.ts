// Images that are derived from a picture, checked by decoding them: size, format, profile, depth, alpha, bytes.
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Metadata } from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { derivePicture } from '../../src/pictures/decoding/decode.ts';
import type { ImageSpec } from '../../src/pictures/image-spec.ts';
import { defaultMaxPixels as maxPixels } from '../../src/pictures/picture-header.ts';
import { png, tiff, tiffSize, zeroText } from '../pictures/_pictures.ts';

const size = { width: 64, height: 36 };
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-derive-'));
  const opaque = noise(3);
  await sharp(opaque, { raw: { ...size, channels: 3 } }).toFile(at('plain.png'));
  await sharp(opaque, { raw: { ...size, channels: 3 } })
    .jpeg()
    .toFile(at('plain.jpg'));
  await sharp(noise(4), { raw: { ...size, channels: 4 } }).toFile(at('clear.png'));
  await sharp(noise(1), { raw: { ...size, channels: 1 } }).toFile(at('grey.png'));
  for (const channels of [1, 3, 4] as const) {
    const deep = Uint16Array.from(noise(channels), (level) => level * 257);
    await sharp(deep, { raw: { ...size, channels } })
      .toColourspace(channels === 1 ? 'grey16' : 'rgb16')
      .tiff({ compression: 'lzw' })
      .toFile(at(`deep-${channels}.tif`));
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const at = (name: string) => join(folder, name);

/** The same bytes each time; the fourth channel is the alpha. */
function noise(channels: number): Uint8Array {
  const length = size.width * size.height * channels;
  return Uint8Array.from({ length }, (_, index) => (index * 7_919 + (index % 13) * 31) % 251);
}

/** The text of a profile, whose letters have two bytes. */
const profileOf = ({ icc }: Metadata) =>
  (icc ?? Buffer.alloc(0)).toString('latin1').replaceAll('\0', '');

let images = 0;
async function made(original: string, image: ImageSpec) {
  images += 1;
  const into = at(`image-${images}`);
  const told = await derivePicture(at(original), { image, into }, { maxPixels });
  const bytes = await readFile(into);
  expect(told.bytes).toBe(bytes.length);
  const metadata = await sharp(bytes).metadata();
  expect(metadata).toMatchObject({ width: told.width, height: told.height });
  return { bytes, metadata };
}

/** The colour of a pixel, with 8 or 16 bits per channel. */
async function pixel(bytes: Buffer, x: number, y: number): Promise<number[]> {
  const { depth } = await sharp(bytes).metadata();
  const isDeep = depth === 'ushort';
  // Removes the profile, because sharp would otherwise convert the colours.
  const picture = sharp(bytes, { ignoreIcc: true });
  const { data, info } = await picture
    .toColourspace(isDeep ? 'rgb16' : 'srgb')
    .raw({ depth: isDeep ? 'ushort' : 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const levels = isDeep ? new Uint16Array(data.buffer, data.byteOffset, data.length / 2) : data;
  const start = (y * info.width + x) * info.channels;
  return Array.from(levels.slice(start, start + info.channels));
}

describe('formats of derived images', () => {
  const files: Record<ImageSpec['format'], { format: string; compression?: string }> = {
    PNG: { format: 'png' },
    JPEG: { format: 'jpeg' },
    WEBP: { format: 'webp' },
    AVIF: { format: 'heif', compression: 'av1' },
    TIFF: { format: 'tiff' },
  };
  const formats = Object.keys(files) as ImageSpec['format'][];
  const originals = ['plain.png', 'plain.jpg', 'clear.png', 'grey.png', 'deep-1.tif', 'deep-3.tif'];

  it.each(formats.flatMap((format) => originals.map((original) => [original, format] as const)))(
    '%s converted from %s is in sRGB and contains the sRGB profile',
    async (original, format) => {
      const { metadata } = await made(original, { format });
      expect(metadata).toMatchObject({ ...size, ...files[format], depth: 'uchar', space: 'srgb' });
      expect(profileOf(metadata)).toContain('sRGB');
    },
  );

  it.each(formats)('%s keeps transparency, except as JPEG', async (format) => {
    const { metadata } = await made('clear.png', { format });
    expect(metadata.hasAlpha).toBe(format !== 'JPEG');
  });

  it.each(formats)('%s images of the same picture have the same bytes', async (format) => {
    const [one, other] = [
      await made('plain.png', { format, width: 40 }),
      await made('plain.png', { format, width: 40 }),
    ];
    expect(one.bytes.equals(other.bytes)).toBe(true);
  });

  it('the colours of a profile are converted', async () => {
    const raw = { width: 8, height: 8, channels: 3 as const };
    const red = Buffer.alloc(8 * 8 * 3).map((_, index) => (index % 3 === 0 ? 200 : 40));
    await sharp(red, { raw }).withIccProfile('p3').toFile(at('p3.png'));
    const { data } = await sharp(at('p3.png'))
      .keepIccProfile()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { bytes } = await made('p3.png', { format: 'PNG' });
    const shown = await pixel(bytes, 4, 4);
    // The original has other numbers for the same colour.
    expect(data[0]).toBeLessThan(shown[0] ?? 0);
    expect(shown[0]).toBeGreaterThan(195);
  });
});

describe('sizes of derived images', () => {
  it.each([
    [{}, 64, 36],
    [{ width: 32 }, 32, 18],
    [{ height: 18 }, 32, 18],
    [{ width: 64, height: 18 }, 32, 18],
    [{ width: 64, height: 36 }, 64, 36],
    [{ width: 400, height: 18 }, 32, 18],
    [{ width: 30, height: 30, fit: 'cover' }, 30, 30],
    [{ width: 50, height: 50, fit: 'contain' }, 50, 50],
    [{ width: 64, height: 100, fit: 'contain' }, 64, 100],
    [{ width: 40, height: 40, fit: 'contain', padding: 5 }, 40, 40],
  ] as const)(
    'an image with the options %j is resized to %d × %d pixels',
    async (wanted, width, height) => {
      expect((await made('plain.png', { format: 'PNG', ...wanted })).metadata).toMatchObject({
        width,
        height,
      });
      expect(
        (await made('deep-3.tif', { format: 'TIFF', bits: 16, ...wanted })).metadata,
      ).toMatchObject({ width, height, depth: 'ushort' });
    },
  );

  it.each([
    [{ width: 65 }],
    [{ height: 37 }],
    [{ width: 65, height: 37 }],
    [{ width: 20, height: 37, fit: 'cover' }],
    [{ width: 65, height: 37, fit: 'contain' }],
    [{ width: 80, height: 60, fit: 'contain', padding: 4 }],
  ] as const)('the options %j, which are larger than the original, are refused', async (wanted) => {
    const image = { format: 'PNG', ...wanted } as const;
    await expect(made('plain.png', image)).rejects.toMatchObject({
      name: 'ImageRefusedError',
      reason: 'LARGER',
      message: expect.stringMatching(/^is 64 x 36 pixels, smaller than /),
    });
  });
});

describe('backgrounds of derived images', () => {
  const contain = { width: 40, height: 40, fit: 'contain' } as const;
  it.each([
    ['clear.png', { format: 'PNG', ...contain }, [0, 0, 0, 0]],
    ['plain.png', { format: 'WEBP', ...contain }, [0, 0, 0, 0]],
    ['plain.png', { format: 'JPEG', ...contain }, [255, 255, 255]],
    ['clear.png', { format: 'PNG', ...contain, background: '#0a6496' }, [10, 100, 150]],
    ['plain.png', { format: 'TIFF', ...contain, background: '#0a6496' }, [10, 100, 150]],
    ['plain.png', { format: 'PNG', ...contain, background: 'transparent' }, [0, 0, 0, 0]],
    [
      'deep-3.tif',
      { format: 'TIFF', bits: 16, ...contain, background: '#ffffff' },
      [65_535, 65_535, 65_535],
    ],
    [
      'deep-4.tif',
      { format: 'TIFF', bits: 16, ...contain, background: '#0a6496' },
      [2_570, 25_700, 38_550],
    ],
    ['deep-4.tif', { format: 'TIFF', bits: 16, ...contain }, [0, 0, 0, 0]],
  ] as const)(
    'the corner pixel of %s with the options %j is %j',
    async (original, image, colour) => {
      const { bytes } = await made(original, image);
      const found = await pixel(bytes, 0, 0);
      expect(found).toHaveLength(colour.length);
      for (const [index, level] of colour.entries()) {
        // A JPEG is not exact next to an edge.
        const max = image.format === 'JPEG' ? 16 : 0;
        expect(Math.abs((found[index] ?? -1) - level)).toBeLessThanOrEqual(max);
      }
    },
  );

  it('the background shows through transparent pixels, equally at 8 and 16 bits', async () => {
    const [eight, sixteen] = [
      await made('deep-4.tif', { format: 'TIFF', background: '#ffffff' }),
      await made('deep-4.tif', { format: 'TIFF', bits: 16, background: '#ffffff' }),
    ];
    expect(sixteen.metadata).toMatchObject({ depth: 'ushort', hasAlpha: false });
    const [shallow, deep] = [await pixel(eight.bytes, 9, 9), await pixel(sixteen.bytes, 9, 9)];
    for (const [index, level] of deep.entries()) {
      expect(Math.abs(level / 257 - (shallow[index] ?? 0))).toBeLessThan(3);
    }
  });
});

describe('16-bit images', () => {
  const colour = [60_000, 1_000, 30_000] as const;
  const flat = Uint16Array.from({ length: 16 * 16 * 3 }, (_, index) => colour[index % 3] ?? 0);
  const colours = (bytes: Buffer) => pixel(bytes, 5, 5);

  it('16-bit images keep the colours of the original, with and without a profile', async () => {
    await sharp(flat, { raw: { width: 16, height: 16, channels: 3 } })
      .toColourspace('rgb16')
      .tiff({ compression: 'lzw' })
      .toFile(at('flat.tif'));
    const deep = await made('flat.tif', { format: 'TIFF', bits: 16 });
    expect(await colours(deep.bytes)).toEqual(colour);
    expect(profileOf(deep.metadata)).toContain('sRGB');
    await writeFile(at('profiled.tif'), deep.bytes);
    const again = await made('profiled.tif', { format: 'TIFF', bits: 16 });
    for (const original of ['flat.tif', 'profiled.tif']) {
      const { bytes } = await made(original, { format: 'TIFF' });
      for (const [index, level] of (await colours(bytes)).entries()) {
        expect(Math.abs(level - (colour[index] ?? 0) / 257)).toBeLessThan(5);
      }
    }
    for (const [index, level] of (await colours(again.bytes)).entries()) {
      expect(Math.abs(level - (colour[index] ?? 0))).toBeLessThan(600);
    }
  });

  it('16-bit images keep more than 4,000 levels', async () => {
    const deep = Uint16Array.from(
      { length: 64 * 64 * 3 },
      (_, index) => Math.floor(index / 3) * 16,
    );
    await sharp(deep, { raw: { width: 64, height: 64, channels: 3 } })
      .toColourspace('rgb16')
      .tiff({ compression: 'lzw' })
      .toFile(at('ramp.tif'));
    const { bytes } = await made('ramp.tif', { format: 'TIFF', bits: 16 });
    const { data } = await sharp(bytes)
      .toColourspace('rgb16')
      .raw({ depth: 'ushort' })
      .toBuffer({ resolveWithObject: true });
    const levels = new Set(new Uint16Array(data.buffer, data.byteOffset, data.length / 2));
    expect(levels.size).toBeGreaterThan(4_000);
  });

  it.each(['plain.png', 'plain.jpg'])(
    'a 16-bit image cannot be derived from %s',
    async (original) => {
      await expect(made(original, { format: 'TIFF', bits: 16 })).rejects.toMatchObject({
        reason: 'BITS',
        message: 'has 8 bits per channel, not 16',
      });
    },
  );
});

describe('quality of derived images', () => {
  const lossy = ['JPEG', 'WEBP', 'AVIF'] as const;
  it.each(lossy)('a lower quality makes the %s image smaller', async (format) => {
    const [low, high] = [
      await made('plain.png', { format, quality: 20 }),
      await made('plain.png', { format, quality: 95 }),
    ];
    expect(low.bytes.length).toBeLessThan(high.bytes.length);
  });

  it.each(lossy)(
    'the quality of the %s image is lowered until it fits, but not to the minimum',
    async (format) => {
      const quality = 90;
      const whole = await made('plain.png', { format, quality });
      const fits = await made('plain.png', { format, quality, maxBytes: whole.bytes.length });
      expect(fits.bytes.length).toBe(whole.bytes.length);
      const min = await made('plain.png', { format, quality: 20 });
      const maxBytes = Math.floor((whole.bytes.length + min.bytes.length) / 2);
      const smaller = await made('plain.png', { format, quality, maxBytes });
      expect(smaller.bytes.length).toBeLessThanOrEqual(maxBytes);
      expect(smaller.bytes.length).toBeGreaterThan(min.bytes.length);
      expect(profileOf(smaller.metadata)).toContain('sRGB');
    },
  );

  it.each(lossy)(
    'the %s image is refused if it is too large even at the lowest quality',
    async (format) => {
      await expect(made('plain.png', { format, maxBytes: 100 })).rejects.toMatchObject({
        reason: 'BYTES',
        message: expect.stringMatching(/^has \d+ bytes at quality 20, more than 100$/),
      });
    },
  );
});

/** Ids of the decoding processes of this process. */
async function decoders(): Promise<number[]> {
  const threads = await readdir('/proc/self/task');
  const children = await Promise.all(
    threads.map((thread) => readFile(`/proc/self/task/${thread}/children`, 'utf8')),
  );
  const pids = children.flatMap((line) => line.split(' ').filter(Boolean).map(Number));
  const isDecoder = async (pid: number) =>
    (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).includes('--expose-gc');
  const found = await Promise.all(pids.map(async (pid) => ((await isDecoder(pid)) ? [pid] : [])));
  return found.flat();
}

describe('a process that derives an image', () => {
  /** Takes at least a few seconds. */
  const long = { format: 'AVIF', maxBytes: 1_000, quality: 100 } as const;
  const begin = async (signal?: AbortSignal) => {
    const side = 3_000;
    const pixels = Buffer.alloc(side * side * 3, 7);
    for (let index = 0; index < pixels.length; index += 3) pixels[index] = (index * 7_919) % 251;
    await sharp(pixels, { raw: { width: side, height: side, channels: 3 } })
      .png({ compressionLevel: 1 })
      .toFile(at('large.png'));
    const into = at('large');
    const making = derivePicture(at('large.png'), { image: long, into }, { maxPixels, signal });
    const ended = making.catch((error: unknown) => error);
    await expect.poll(decoders, { timeout: 60_000 }).not.toEqual([]);
    return { ended };
  };

  it.skipIf(process.platform !== 'linux')(
    'a process that is killed fails only its image',
    async () => {
      const killDecoders = async () => {
        for (const pid of await decoders()) process.kill(pid, 'SIGKILL');
        await expect.poll(decoders, { timeout: 60_000 }).toEqual([]);
      };
      // A reused process would be replaced, because it may have been killed while it was idle.
      await killDecoders();
      const { ended } = await begin();
      await killDecoders();
      expect(await ended).toMatchObject({
        name: 'PictureError',
        message: 'crashes its decoder (SIGKILL)',
      });
      expect((await made('plain.png', { format: 'JPEG' })).metadata).toMatchObject(size);
    },
  );

  it('a process is abandoned when its attempt is cancelled', async () => {
    const stop = new AbortController();
    const { ended } = await begin(stop.signal);
    stop.abort(new Error('cancelled'));
    expect(await ended).toMatchObject({ message: 'cancelled' });
    expect((await made('plain.png', { format: 'JPEG' })).metadata).toMatchObject(size);
  });
});

describe('untrusted pictures', () => {
  it.each([
    ['a cut one', async () => (await readFile(at('plain.png'))).subarray(0, 900), 'DAMAGED'],
    ['one of zeros', async () => Buffer.alloc(400), 'FORMAT'],
    ['a huge one', async () => png(20_000, 20_000), 'TOO_LARGE'],
    ['one with 100 MB of text', async () => png(8, 8, [zeroText('zTXt', 1e8)]), 'TOO_LARGE'],
    ['a TIFF without pixels', async () => tiff([tiffSize(64, 64)]), 'DAMAGED'],
    ['a drawing', async () => Buffer.from('<svg width="64" height="64"/>'), 'FORMAT'],
  ])('%s is refused', async (name, bytes, errorKind) => {
    await writeFile(at(name), await bytes());
    await expect(made(name, { format: 'JPEG' })).rejects.toMatchObject({
      name: 'PictureError',
      errorKind,
    });
  });

  it('a size that the format does not allow is refused, and the message contains no path', async () => {
    const image = { format: 'WEBP', width: 64, height: 16_384, fit: 'contain' } as const;
    const failed = await made('plain.png', image).then(
      () => null,
      (error: unknown) => error,
    );
    expect(failed).toMatchObject({ name: 'PictureError', errorKind: 'DAMAGED' });
    expect(String(failed)).not.toContain(folder);
  });

  it('a missing folder is refused with a PictureError', async () => {
    const into = join(folder, 'gone', 'image');
    await expect(
      derivePicture(at('plain.png'), { image: { format: 'PNG' }, into }, { maxPixels }),
    ).rejects.toMatchObject({ name: 'PictureError' });
    await expect(stat(into)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
