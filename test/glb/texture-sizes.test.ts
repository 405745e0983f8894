// Sizes of textures from the headers of their images, in the binary chunk and in data URIs.
import { describe, expect, it } from 'vitest';
import { type ByteSource, toBufferSource } from '../../src/glb/byte-source.ts';
import { inspectSource } from '../../src/glb/inspect-model.ts';
import { maxMeasuredTextures } from '../../src/glb/texture-sizes.ts';
import { bareJson, makeGlb } from './_make-glb.ts';

const bytes = (...parts: (string | number[])[]) =>
  Buffer.concat(
    parts.map((part) =>
      typeof part === 'string' ? Buffer.from(part, 'latin1') : Buffer.from(part),
    ),
  );
const zeros = (count: number) => Array<number>(count).fill(0);

const png = bytes('\x89PNG\r\n\x1a\n', [0, 0, 0, 13], 'IHDR', [0, 0, 4, 0, 0, 0, 2, 0], zeros(20));
const frame = [0xff, 0xc2, 0, 17, 8, 0, 100, 0, 200, 3];
const jpeg = bytes([0xff, 0xd8], frame, zeros(9));
const exif = [0xff, 0xe1, 0xff, 0xff, ...zeros(0xfffd)];
const lateJpeg = bytes([0xff, 0xd8], exif, [0xff, 0xc4, 0, 2, 0xff, 0xff, 0xd8], frame, zeros(9));
const webp = (chunk: string, ...head: number[]) =>
  bytes('RIFF', zeros(4), 'WEBP', chunk, zeros(4), head, zeros(16));
const ktx = bytes('\xabKTX 20\xbb\r\n\x1a\n', zeros(8), [0, 8, 0, 0, 0, 4, 0, 0], zeros(8));

async function sizesOf(images: readonly Buffer[], wrap = (source: ByteSource) => source) {
  const bin = Buffer.concat(images);
  let byteOffset = 0;
  const views = images.map(({ length: byteLength }) => {
    byteOffset += byteLength;
    return { buffer: 0, byteOffset: byteOffset - byteLength, byteLength };
  });
  const json = {
    ...bareJson,
    images: images.map((_, bufferView) => ({ bufferView, mimeType: 'image/png' })),
    bufferViews: views,
    buffers: [{ byteLength: bin.length }],
  };
  const source = wrap(toBufferSource(makeGlb(json, bin)));
  const { measures, message } = await inspectSource(source, 'glb', { isMeasured: true });
  return measures?.textures.map(({ size }) => size && [size.width, size.height]) ?? message;
}

describe('the sizes of textures', () => {
  it.each<[string, Buffer, [number, number] | null]>([
    ['a PNG', png, [1024, 512]],
    ['a JPEG', jpeg, [200, 100]],
    ['a JPEG with 64 KB of metadata and padding before its size', lateJpeg, [200, 100]],
    ['a lossy WebP', webp('VP8 ', 0, 0, 0, 0x9d, 1, 0x2a, 0x40, 1, 0xf0, 0), [320, 240]],
    ['a lossless WebP', webp('VP8L', 0x2f, 0x3f, 0xc1, 0x3b, 0), [320, 240]],
    ['an extended WebP', webp('VP8X', 0, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0), [320, 240]],
    ['a KTX2', ktx, [2048, 1024]],
    ['a PNG of size 0', Buffer.concat([png.subarray(0, 16), Buffer.alloc(28)]), null],
    ['a truncated PNG', png.subarray(0, 20), null],
    [
      'a JPEG with too many segments',
      bytes([0xff, 0xd8], ...Array(300).fill([0xff, 0xe1, 0, 2])),
      null,
    ],
    [
      'a JPEG that ends before its size',
      bytes([0xff, 0xd8, 0xff, 0xd9, 0, 2], frame, zeros(9)),
      null,
    ],
    ['an AVIF', bytes(zeros(4), 'ftypavif', zeros(40)), null],
    ['an empty image', Buffer.alloc(0), null],
  ])('the size of %s is read if it contains one', async (_, image, expected) => {
    // The other images around it show that the offset counts.
    expect(await sizesOf([png, image, jpeg])).toEqual([[1024, 512], expected, [200, 100]]);
  });
});

it.each<[string, string, [number, number] | null]>([
  ['a data URI', `data:image/png;base64,${png.toString('base64')}`, [1024, 512]],
  [
    'a data URI in which the size comes late',
    `data:;base64,${lateJpeg.toString('base64')}`,
    [200, 100],
  ],
  ['a data URI without base64', 'data:image/png,abc', null],
  ['another file', 'wood.png', null],
])('the size of an image in %s is read', async (_, uri, expected) => {
  const gltf = Buffer.from(JSON.stringify({ ...bareJson, images: [{ uri }] }));
  const { measures } = await inspectSource(toBufferSource(gltf), 'gltf', { isMeasured: true });
  const [texture] = measures?.textures ?? [];
  expect(texture?.size ? [texture.size.width, texture.size.height] : null).toEqual(expected);
});

it('only the headers of a limited number of images are read', async () => {
  const large = Buffer.concat([png, Buffer.alloc(10_000)]);
  let read = 0;
  const sizes = await sizesOf(Array<Buffer>(maxMeasuredTextures + 10).fill(large), (source) => ({
    size: source.size,
    read: (offset, length) => {
      read += length;
      return source.read(offset, length);
    },
  }));
  expect(sizes).toHaveLength(maxMeasuredTextures);
  expect(read).toBeLessThan(100_000);
});
