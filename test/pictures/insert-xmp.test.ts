// XMP packets in pictures of all formats: read back by ExifTool and by sharp, with every pixel and profile as before.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PictureError } from '../../src/pictures/picture-error.ts';
import { readPictureHeaderOfBytes } from '../../src/pictures/picture-header.ts';
import { insertXmp } from '../../src/pictures/xmp/insert-xmp.ts';
import {
  createXmpPacket,
  maxPacketBytes,
  type PictureMetadata,
} from '../../src/pictures/xmp/xmp-packet.ts';
import { readWithExifTool } from './_exiftool.ts';

let folder = '';
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-xmp-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const size = { width: 33, height: 19 };
const levels = (channels: number) =>
  Uint8Array.from({ length: 33 * 19 * channels }, (_, index) => (index * index * 7) % 251);
const opaque = () => sharp(levels(3), { raw: { ...size, channels: 3 } });
const clear = () => sharp(levels(4), { raw: { ...size, channels: 4 } });
const deep = () => opaque().toColourspace('rgb16');

const full: PictureMetadata = {
  title: 'Lounge chair in Oak',
  description: 'Two lines:\nsolid oak & wool <undyed>.',
  altText: 'Ein Sessel aus Eiche, von vorn; “weich”',
  creator: 'Acme GmbH',
  copyright: '© 2026 Acme',
  credit: 'Acme/Studio',
  keywords: ['chair', 'autumn 2026', 'chair'],
  sku: 'CH-001-OAK',
  gtin: '04012345678901',
  digitalSourceType: 'digitalCreation',
};
const fullTags = {
  'XMP-dc:Title': 'Lounge chair in Oak',
  'XMP-dc:Description': 'Two lines:\nsolid oak & wool <undyed>.',
  'XMP-iptcCore:AltTextAccessibility': 'Ein Sessel aus Eiche, von vorn; “weich”',
  'XMP-dc:Creator': ['Acme GmbH'],
  'XMP-dc:Rights': '© 2026 Acme',
  'XMP-photoshop:Credit': 'Acme/Studio',
  'XMP-dc:Subject': ['chair', 'autumn 2026'],
  'XMP-iptcExt:ProductInImage': [{ ProductGTIN: '04012345678901', ProductId: 'CH-001-OAK' }],
  'XMP-iptcExt:DigitalSourceType': expect.stringContaining('digitalCreation'),
};

const packetOf = (metadata: PictureMetadata) => createXmpPacket(metadata) ?? Buffer.alloc(0);

async function insert(picture: Buffer, metadata: PictureMetadata): Promise<Buffer> {
  const file = join(folder, `before-${(files += 1)}`);
  await writeFile(file, picture);
  const pieces: Uint8Array[] = [];
  await insertXmp(file, packetOf(metadata), async (bytes) => void pieces.push(bytes.slice()));
  return Buffer.concat(pieces);
}

/** What ExifTool reads of each picture; one process for all. */
async function readBack(...pictures: readonly Buffer[]) {
  const paths = pictures.map(() => join(folder, String((files += 1))));
  for (const [index, picture] of pictures.entries()) await writeFile(paths[index] ?? '', picture);
  return readWithExifTool(...paths);
}

async function pixelsOf(picture: Buffer) {
  const { icc, exif, orientation, hasAlpha, depth } = await sharp(picture).metadata();
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { data, width, height, icc, exif, orientation, hasAlpha, depth };
}

const exif = { IFD0: { Copyright: 'camera' } };
const formats: [name: string, picture: () => Promise<Buffer>][] = [
  ['PNG', () => clear().png().toBuffer()],
  ['PNG with a profile, 16 bits', () => deep().withIccProfile('p3').png().toBuffer()],
  ['PNG with text and XMP', () => opaque().withExif(exif).withXmp('<old/>').png().toBuffer()],
  ['JPEG', () => opaque().jpeg().toBuffer()],
  [
    'JPEG, progressive, with a profile',
    () => opaque().withIccProfile('srgb').jpeg({ progressive: true }).toBuffer(),
  ],
  ['JPEG with Exif and XMP', () => opaque().withExif(exif).withXmp('<old/>').jpeg().toBuffer()],
  ['TIFF', () => clear().tiff({ compression: 'lzw' }).toBuffer()],
  ['TIFF, 16 bits, with a profile', () => deep().withIccProfile('srgb').tiff().toBuffer()],
  [
    'TIFF in tiles with XMP',
    () => opaque().withXmp('<old/>').tiff({ tile: true, compression: 'deflate' }).toBuffer(),
  ],
  ['WebP, simple', () => opaque().webp().toBuffer()],
  ['WebP, lossless and simple', () => clear().webp({ lossless: true }).toBuffer()],
  ['WebP with a profile and alpha', () => clear().withIccProfile('srgb').webp().toBuffer()],
  ['WebP with Exif and XMP', () => opaque().withExif(exif).withXmp('<old/>').webp().toBuffer()],
  ['AVIF', () => opaque().withIccProfile('srgb').avif({ effort: 0 }).toBuffer()],
  ['AVIF with alpha', () => clear().avif({ effort: 0 }).toBuffer()],
  [
    'AVIF with alpha, Exif and XMP',
    () => clear().withExif(exif).withXmp('<old/>').avif({ effort: 0 }).toBuffer(),
  ],
];

const longest = { title: 'x'.repeat(maxPacketBytes - packetOf({ title: 'x' }).length + 1) };

describe.each(formats)('%s', (name, picture) => {
  let before: Buffer = Buffer.alloc(0);
  let after: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    before = await picture();
    after = await insert(before, full);
  });

  it('has the fields, read by ExifTool without complaint: first, replaced by more, by less', async () => {
    const longer = await insert(after, longest);
    const shorter = await insert(longer, { title: 'odd' });
    const [bare, tags, long, short] = await readBack(before, after, longer, shorter);
    // ExifTool also remarks on what encoders write.
    const problems = bare?.problems;
    expect(tags).toEqual({ ...fullTags, problems });
    expect(long).toEqual({ 'XMP-dc:Title': longest.title, problems });
    expect(short).toEqual({ 'XMP-dc:Title': 'odd', problems });
    expect(await pixelsOf(shorter)).toEqual(await pixelsOf(before));
    expect(await insert(shorter, full)).toEqual(after);
  });

  it('is read by sharp, with pixels, profile and Exif as before', async () => {
    expect(String((await sharp(after).metadata()).xmp)).toContain('CH-001-OAK');
    expect(await pixelsOf(after)).toEqual(await pixelsOf(before));
  });

  it.runIf(/^(?:PNG|JPEG|TIFF)/.test(name))('passes as a picture', async () => {
    expect(await readPictureHeaderOfBytes(after, 1_000)).toMatchObject(size);
  });
});

describe('texts', () => {
  it('are read as they are, or as XML allows', async () => {
    const cases: [what: string, text: string, read?: string][] = [
      ['markup', '<b>&amp;</b> "\' ]]> <!-- <?xpacket end="w"?>'],
      ['right to left', 'כיסא עם ריפוד ‏(אפור)‏ مرحبا'],
      ['emoji and rare characters', '🪑👨‍👩‍👧 𠮷 \u{10fffd}'],
      ['control characters', 'a\u0000b\u0007c\u001bd\u0085e\tf\r\ng\ufffe', 'a b c d e\tf\ng'],
      ['half a character', 'a\ud83db', 'a\ufffdb'],
      ['spaces around', '  a  ', 'a'],
      ['braces', '{{ row.name }} ${X}'],
      ['a number', '007'],
    ];
    const picture = await opaque().jpeg().toBuffer();
    const after = await Promise.all(
      cases.map(([, text]) =>
        insert(picture, { title: text, altText: text, keywords: [text, 'a b'], sku: text }),
      ),
    );
    const tags = await readBack(...after);
    for (const [index, [what, text, read = text]] of cases.entries()) {
      expect(tags[index], what).toEqual({
        'XMP-dc:Title': read,
        'XMP-iptcCore:AltTextAccessibility': read,
        'XMP-dc:Subject': [read, 'a b'],
        'XMP-iptcExt:ProductInImage': [{ ProductId: read }],
        problems: [],
      });
    }
  });

  it('that are empty leave their field out, and nothing if all are', () => {
    const packet = packetOf({ title: '', keywords: ['', ' '], sku: ' \n', credit: 'Acme' });
    expect(packet.toString()).not.toMatch(/dc:title>|dc:subject>|ProductInImage>/);
    expect(createXmpPacket({ title: ' ', keywords: [] })).toBeNull();
  });
});

describe('files without a place for a packet are refused', () => {
  const bigTiff = Buffer.from('49492b0008000000100000000000000000000000', 'hex');
  it.each<[string, () => Promise<Buffer>]>([
    ['a GIF', () => opaque().gif().toBuffer()],
    ['a BigTIFF', async () => bigTiff],
    ['an empty file', async () => Buffer.alloc(0)],
    ['a JPEG that breaks off', async () => (await opaque().jpeg().toBuffer()).subarray(0, 40)],
    ['a PNG that breaks off', async () => (await opaque().png().toBuffer()).subarray(0, 45)],
    ['a TIFF without a directory', async () => Buffer.from('49492a00ffffff0000000000', 'hex')],
    ['an AVIF of another maker', async () => otherAvif()],
  ])('%s', async (_what, picture) => {
    await expect(insert(await picture(), full)).rejects.toBeInstanceOf(PictureError);
  });

  async function otherAvif(): Promise<Buffer> {
    const picture = await opaque().avif({ effort: 0 }).toBuffer();
    picture.writeUInt8(1, picture.indexOf('iloc') + 4);
    return picture;
  }
});
