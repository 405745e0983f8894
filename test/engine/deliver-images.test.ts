// Images of delivered pictures: their names, their originals, and failures of single images.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { DerivedImages } from '../../src/features/delivery/images/derived-images.ts';
import type { ImageOptions } from '../../src/features/delivery/images/image-fields.ts';
import { hashImageSpec, toImageSpec } from '../../src/features/delivery/images/image-recipe.ts';
import { computeSha256 } from '../../src/store/discovery/list-files.ts';
import { contextOn } from './_context.ts';
import { codes, paths, useDelivery } from './_delivery.ts';

const delivery = useDelivery();
const output: typeof delivery.output = (...given) => delivery.output(...given);
const rendered: typeof delivery.rendered = (...given) => delivery.rendered(...given);
const run: typeof delivery.run = (...given) => delivery.run(...given);
const jpeg = { format: 'JPEG' } as const;
const small = {
  format: 'PNG',
  width: 16,
  naming: '{{ key }}/{{ output }}-{{ index }}.{{ ext }}',
} as const;

const fetched = (name: string) => delivery.platform.count(`GET /cdn/${name}`);
const metadataOf = async (path: string) =>
  sharp(await readFile(join(delivery.folder, path))).metadata();

describe('names of images', () => {
  it("an image has the name of its output, with the image's own extension", async () => {
    const asset = rendered('shoe', output('b', 'Side'), output('a', 'Front'));
    const results = await run('{{ key }}/{{ output }}.{{ ext }}', [asset], {
      images: [jpeg, small],
    });
    expect(paths(results)).toEqual([
      'shoe/Front.png',
      'shoe/Front.jpg',
      'shoe/Front-1.png',
      'shoe/Side.png',
      'shoe/Side.jpg',
      'shoe/Side-2.png',
    ]);
    expect(await metadataOf('shoe/Side-2.png')).toMatchObject({ width: 16, height: 9 });
  });

  it('images of two outputs are distinguished by a number, as their originals are', async () => {
    const asset = rendered('shoe', output('a', 'Front'), output('b', 'Front'));
    const images = [jpeg, { ...small, naming: '{{ key }}.{{ ext }}' }];
    expect(paths(await run('{{ key }}.{{ ext }}', [asset], { images }))).toEqual([
      'shoe.png',
      'shoe.jpg',
      'shoe-3.png',
      'shoe-2.png',
      'shoe-2.jpg',
      'shoe-4.png',
    ]);
  });

  it('the image of a watermarked preview contains `preview`', async () => {
    const asset = rendered('shoe', output('a', 'Front', { isPreview: true }));
    expect(paths(await run('{{ key }}.{{ ext }}', [asset], { images: [jpeg] }))).toEqual([
      'shoe.preview.png',
      'shoe.preview.jpg',
    ]);
  });

  it('a name that another asset owns fails the asset before any download', async () => {
    const assets = [rendered('a', output('1', 'Front')), rendered('b', output('2', 'Front'))];
    const images = [{ ...jpeg, naming: 'all/{{ output }}.{{ ext }}' }];
    const results = await run('{{ key }}.{{ ext }}', assets, { images });
    expect(codes(results)).toEqual(['done', 'OUTPUT_PATH_TAKEN']);
    expect(fetched('2.png')).toBe(0);
  });
});

describe('originals of images', () => {
  it('an original is downloaded once for all of its images', async () => {
    const images: ImageOptions[] = [jpeg, small, { format: 'TIFF' }, { format: 'WEBP', height: 9 }];
    const asset = rendered('shoe', output('a', 'Front'));
    const [result] = await run('{{ key }}.{{ ext }}', [asset], { images });
    const [original, ...made] = result?.outcome === 'done' ? (result.files ?? []) : [];
    expect(fetched('a.png')).toBe(1);
    expect(made).toHaveLength(4);
    for (const file of made) {
      expect(file).toMatchObject({
        output: 'a',
        sourceHash: original?.sha256,
        image: /^[0-9a-f]{8}$/,
      });
    }
    expect(new Set(made.map(({ image }) => image)).size).toBe(4);
    expect(original).not.toHaveProperty('image');
  });

  it('originals are omitted if the file says so, and leave no files behind', async () => {
    const asset = rendered('shoe', output('a', 'Front'));
    const options = { images: [jpeg, { format: 'WEBP' } as const], original: false };
    expect(paths(await run('{{ key }}.{{ ext }}', [asset], options))).toEqual([
      'shoe.jpg',
      'shoe.webp',
    ]);
    expect(fetched('a.png')).toBe(1);
    expect(await delivery.files()).toEqual(['shoe.jpg', 'shoe.webp']);
  });

  it('a video is delivered unchanged', async () => {
    const { platform } = delivery;
    const film = output('v', 'Turn', { fileType: 'MP4', isVideo: true });
    platform.pictures.set('v.png', Buffer.from('\0\0\0 ftypisom'));
    const asset = rendered('shoe', output('a', 'Front'), film);
    const options = { images: [jpeg], original: false };
    expect(paths(await run('{{ key }}/{{ output }}.{{ ext }}', [asset], options))).toEqual([
      'shoe/Front.jpg',
      'shoe/Turn.mp4',
    ]);
  });

  it('a blank original fails before an image is created', async () => {
    const { platform } = delivery;
    const asset = rendered('shoe', output('a', 'Front'));
    const blank = { create: { width: 32, height: 18, channels: 3 as const, background: '#fff' } };
    platform.pictures.set('a.png', await sharp(blank).png().toBuffer());
    const results = await run('{{ key }}.{{ ext }}', [asset], { images: [jpeg], original: false });
    expect(codes(results)).toEqual(['OUTPUT_BLANK']);
    expect(await delivery.files()).toEqual([]);
  });

  it('a damaged original is downloaded again before an image is created', async () => {
    const { platform, picture } = delivery;
    const asset = rendered('shoe', output('a', 'Front'));
    platform.servings.set('a.png', [(response) => response.end(picture.subarray(0, 200))]);
    const results = await run('{{ key }}.{{ ext }}', [asset], { images: [jpeg] });
    expect(codes(results)).toEqual(['done']);
    expect(fetched('a.png')).toBe(2);
    expect(await metadataOf('shoe.jpg')).toMatchObject({ format: 'jpeg', width: 32 });
  });
});

describe('an image that cannot be derived', () => {
  const large = { width: 64, height: 36 };
  const grey = { create: { ...large, channels: 3 as const, background: '#888' } };
  const dotted = sharp(grey).composite([
    {
      input: { create: { width: 9, height: 9, channels: 3, background: '#c00' } },
      left: 9,
      top: 9,
    },
  ]);
  const levels = Uint8Array.from({ length: 96 * 96 * 3 }, (_, index) => (index * index * 7) % 251);
  const noise = sharp(levels, { raw: { width: 96, height: 96, channels: 3 } }).png();
  it.each([
    [
      { format: 'JPEG', width: 33 } as const,
      'IMAGE_LARGER',
      /^image "bad.jpg" of output "Front" \(1\): its original is 32 x 18 pixels, smaller than 33 x any$/,
    ],
    [
      { format: 'WEBP', maxBytes: 900 } as const,
      'IMAGE_BYTES',
      /^image "bad.webp" of output "Front" \(1\): it has \d+ bytes at quality 20, more than 900$/,
    ],
  ])('the image %j fails only its own asset, with %s', async (image, code, message) => {
    const { platform } = delivery;
    const assets = [rendered('bad', output('1', 'Front')), rendered('good', output('2', 'Front'))];
    platform.pictures.set('2.png', await dotted.clone().png().toBuffer());
    if (code === 'IMAGE_BYTES') platform.pictures.set('1.png', await noise.clone().toBuffer());
    const results = await run('{{ key }}.{{ ext }}', assets, { images: [image] });
    expect(codes(results)).toEqual([code, 'done']);
    expect(results[0]).toMatchObject({ message: expect.stringMatching(message) });
  });

  it('a 16-bit image fails only the asset whose picture has 8 bits', async () => {
    const { platform } = delivery;
    const tiff = { fileType: 'TIFF' };
    const assets = [
      rendered('bad', output('1', 'Front', tiff)),
      rendered('good', output('2', 'Front', tiff)),
    ];
    const [shallow, deep] = [dotted.clone(), dotted.clone().toColourspace('rgb16')];
    platform.pictures.set('1.png', await shallow.tiff({ compression: 'lzw' }).toBuffer());
    platform.pictures.set('2.png', await deep.tiff({ compression: 'lzw' }).toBuffer());
    const images = [{ format: 'TIFF', bits: 16, width: 32 } as const];
    const results = await run('{{ key }}.{{ ext }}', assets, { images, original: false });
    expect(codes(results)).toEqual(['IMAGE_BITS', 'done']);
    expect(await metadataOf('good.tif')).toMatchObject({ depth: 'ushort', width: 32 });
  });
});

describe('another attempt at a delivery', () => {
  it('another attempt delivers exactly the same files', async () => {
    const asset = rendered('shoe', output('a', 'Front'));
    const more = { images: [jpeg, small] };
    const again = { ...more, attempt: { number: 2, firstAtMs: 0, retryUntilAtMs: 1e9 } };
    const first = await run('{{ key }}.{{ ext }}', [asset], more);
    expect(await run('{{ key }}.{{ ext }}', [asset], again)).toEqual(first);
  });

  it('an unwritable destination is not reported as an image failure', async () => {
    const { folder } = delivery;
    const asset = rendered('shoe', output('a', 'Front'));
    await writeFile(join(folder, 'images'), 'a file where a folder is wanted');
    const images = [{ ...jpeg, naming: 'images/{{ key }}.{{ ext }}' }];
    const results = run('{{ key }}.{{ ext }}', [asset], { images });
    const end = await results.then(codes, (error: unknown) => error);
    expect(JSON.stringify(end)).not.toContain('IMAGE_');
  });
});

describe('an image of an earlier delivery', () => {
  /** Searches for `new.jpg`, which an earlier delivery wrote as `old.jpg` from the original `x`. */
  async function found(
    madeOf: string | undefined,
    more: { isOfThisExport?: boolean; bytes?: string } = {},
  ) {
    const { connector, folder, platform } = delivery;
    const old = 'an image';
    await writeFile(join(folder, 'old.jpg'), old);
    const sha256 = await computeSha256(connector, 'old.jpg', undefined);
    await writeFile(join(folder, 'old.jpg'), more.bytes ?? old);
    const { isOfThisExport = false } = more;
    const path = isOfThisExport ? 'old.jpg' : 'new.jpg';
    const before = { key: 'shoe', path: 'old.jpg', bytes: old.length, sha256, width: 3, height: 2 };
    const file = { ...before, output: 'a', delivery: 'd', image: 'mark', sourceHash: 'x' };
    const existing = [
      { file, output: 'a', connector, isObsolete: true, isOfThisExport, isInPlace: true },
    ];
    const image = { spec: jpeg, specHash: 'mark', path, pathTemplate: '', existingFiles: existing };
    const planned = {
      delivery: undefined,
      key: 'shoe',
      output: output('a', 'Front'),
      path: 'shoe.png',
      deliversOriginal: madeOf !== undefined,
      images: [image],
      metadata: null,
      replaces: null,
      existingFiles: [],
      previousKey: undefined,
      readUrl: async () => '',
    };
    const moved = { get: () => undefined, add: async () => undefined };
    const options = { connector, supersede: undefined, maxPixels: 1e6, transferredFiles: moved };
    const images = new DerivedImages(planned, options, contextOn(platform));
    await images.takeExisting(madeOf);
    return images.files.map(({ path: at, previousPath: was, sourceHash: of }) => ({ at, was, of }));
  }

  const taken = [{ at: 'new.jpg', was: 'old.jpg', of: 'x' }];
  it.each([
    ['is reused if its original is the same', 'x', {}, taken],
    ['is reused if the original is not delivered', undefined, {}, taken],
    ['is not reused if it has another original', 'y', {}, []],
    ['is not reused if its file was changed', 'x', { bytes: 'not ours' }, []],
    [
      'keeps its name if it belongs to this export',
      'x',
      { isOfThisExport: true },
      [{ at: 'old.jpg', was: undefined, of: 'x' }],
    ],
  ])('the image of an earlier delivery %s', async (_, madeOf, more, expected) => {
    expect(await found(madeOf, more)).toEqual(expected);
  });
});

it('equivalent options have the same image hash', () => {
  const spec = toImageSpec({ format: 'JPEG', background: 'white', maxBytes: '60KB' });
  expect(spec).toEqual({ format: 'JPEG', background: '#ffffff', maxBytes: 60_000 });
  const same = { format: 'JPEG', background: '#FFFFFF', maxBytes: 60_000 } as const;
  expect(hashImageSpec(same)).toBe(
    hashImageSpec({ ...same, background: 'white', maxBytes: '60KB' }),
  );
});
