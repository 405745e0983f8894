// Metadata in pictures of all formats: read back by ExifTool and by sharp, with every pixel and profile as before.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { insertMetadata } from '../../src/pictures/metadata/insert-metadata.ts';
import {
  createMetadataPackets,
  type MetadataPackets,
} from '../../src/pictures/metadata/metadata-packets.ts';
import {
  createXmpPacket,
  maxPacketBytes,
  type PictureMetadata,
} from '../../src/pictures/metadata/xmp-packet.ts';
import { PictureError } from '../../src/pictures/picture-error.ts';
import { readPictureHeaderOfBytes } from '../../src/pictures/picture-header.ts';
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

/** Exif tags in JPEG, PNG, WebP and TIFF. */
const fullExif = {
  'IFD0:ImageDescription': 'Two lines:\nsolid oak & wool <undyed>.',
  'IFD0:Artist': 'Acme GmbH',
  'IFD0:Copyright': '© 2026 Acme',
};

/** IPTC-IIM tags in JPEG and TIFF. */
const iimOf = (tags: object) => ({
  'IPTC:CodedCharacterSet': 'UTF8',
  'IPTC:ApplicationRecordVersion': 4,
  ...tags,
});
const fullIim = iimOf({
  'IPTC:ObjectName': 'Lounge chair in Oak',
  'IPTC:Caption-Abstract': 'Two lines:\nsolid oak & wool <undyed>.',
  'IPTC:By-line': 'Acme GmbH',
  'IPTC:Credit': 'Acme/Studio',
  'IPTC:CopyrightNotice': '© 2026 Acme',
  'IPTC:Keywords': ['chair', 'autumn 2026'],
});

function packetsOf(metadata: PictureMetadata): MetadataPackets {
  const packets = createMetadataPackets(metadata);
  if (packets === null) throw new Error('no field has a value');
  return packets;
}

const xmpOf = (metadata: PictureMetadata) => createXmpPacket(metadata) ?? Buffer.alloc(0);

async function insert(picture: Buffer, metadata: PictureMetadata): Promise<Buffer> {
  const file = join(folder, `before-${(files += 1)}`);
  await writeFile(file, picture);
  const pieces: Uint8Array[] = [];
  await insertMetadata(file, packetsOf(metadata), async (bytes) => void pieces.push(bytes.slice()));
  return Buffer.concat(pieces);
}

/** What ExifTool reads of each picture. One process reads all pictures. */
async function readBack(...pictures: readonly Buffer[]) {
  const paths = pictures.map(() => join(folder, String((files += 1))));
  for (const [index, picture] of pictures.entries()) await writeFile(paths[index] ?? '', picture);
  return readWithExifTool(...paths).map(({ problems, ...tags }) => {
    const [own, other]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
    for (const [name, value] of Object.entries(tags)) {
      const isOwn = /^(?:XMP|IPTC)/.test(name) || name in fullExif;
      if (isOwn) own[name] = value;
      // The positions of the parts of the file may change.
      else if (!/Offset|Start|Digest/.test(name)) other[name] = value;
    }
    const digests = ['Photoshop:IPTCDigest', 'File:CurrentIPTCDigest'].map((name) => tags[name]);
    // sharp writes this header into a WebP, and Renderline corrects it.
    const serious = problems.filter((problem) => !problem.includes('Improper EXIF header'));
    return { own, other, digests, problems: serious };
  });
}

async function pixelsOf(picture: Buffer) {
  const { icc, orientation, hasAlpha, depth } = await sharp(picture).metadata();
  const { data, info } = await sharp(picture).raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  return { data, width, height, icc, orientation, hasAlpha, depth };
}

const exif = {
  IFD0: { Copyright: 'camera', ImageDescription: 'DSC_0001', Software: 'Studio 5' },
  IFD2: { DateTimeOriginal: '2026:03:01 10:00:00' },
  IFD3: { GPSLatitudeRef: 'N' },
};

/** A JPEG with a Photoshop block of another program, and with its own IPTC-IIM. */
function withPhotoshop(jpeg: Buffer): Buffer {
  const resource = (id: string, content: string) =>
    `${Buffer.from('8BIM').toString('hex')}${id}0000${(content.length / 2).toString(16).padStart(8, '0')}${content}`;
  const iim = `1c02050004${Buffer.from('Old!').toString('hex')}1c02370008${Buffer.from('20260101').toString('hex')}`;
  const blocks = [resource('0404', iim), resource('03ed', '012c00000001000100'.padEnd(32, '0'))];
  const content = Buffer.concat([
    Buffer.from('Photoshop 3.0\0', 'latin1'),
    Buffer.from(blocks.join(''), 'hex'),
  ]);
  const head = Buffer.from([0xff, 0xed, 0, content.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

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
  ['JPEG with blocks of Photoshop', async () => withPhotoshop(await opaque().jpeg().toBuffer())],
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

const longest = { title: 'x'.repeat(maxPacketBytes - xmpOf({ title: 'x' }).length + 1) };

const pickExif = (tags: object = {}) =>
  Object.fromEntries(Object.entries(tags).filter(([name]) => name in fullExif));

describe.each(formats)('%s', (name, picture) => {
  let before: Buffer = Buffer.alloc(0);
  let after: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    before = await picture();
    after = await insert(before, full);
  });

  it('the picture has fields that ExifTool reads without warnings, even after they have been replaced', async () => {
    const longer = await insert(after, longest);
    const shorter = await insert(longer, { title: 'odd' });
    const [bare, tags, long, short] = await readBack(before, after, longer, shorter);
    // The Exif of an AVIF stays as it is.
    const camera = name.startsWith('AVIF') ? pickExif(bare?.own) : {};
    const exifTags = name.startsWith('AVIF') ? camera : fullExif;
    const hasIim = /^(?:JPEG|TIFF)/.test(name);
    expect(tags?.own).toEqual({ ...fullTags, ...exifTags, ...(hasIim ? fullIim : {}) });
    const title = (text: string) => ({
      'XMP-dc:Title': text,
      ...(hasIim ? iimOf({ 'IPTC:ObjectName': text.slice(0, 64) }) : {}),
    });
    expect(long?.own).toEqual({ ...title(longest.title), ...camera });
    expect(short?.own).toEqual({ ...title('odd'), ...camera });
    for (const one of [tags, long, short]) {
      // ExifTool also warns about what encoders write.
      expect(one?.problems).toEqual(bare?.problems);
      expect(one?.other).toEqual(bare?.other);
      if (name.startsWith('JPEG')) expect(one?.digests[0]).toBe(one?.digests[1]);
    }
  });

  it('the picture has the same bytes whatever metadata it contained before', async () => {
    const shorter = await insert(await insert(after, longest), { sku: 'CH-001' });
    expect(await pixelsOf(shorter)).toEqual(await pixelsOf(before));
    expect(shorter).toEqual(await insert(before, { sku: 'CH-001' }));
    expect(await insert(shorter, full)).toEqual(after);
  });

  it('the picture is read by sharp with the same pixels and profile as before', async () => {
    const read = await sharp(after).metadata();
    expect(String(read.xmp)).toContain('CH-001-OAK');
    if (/^(?:JPEG|TIFF)/.test(name)) expect(String(read.iptc)).toContain('Lounge chair in Oak');
    if (/^(?:JPEG|PNG|WebP)/.test(name)) expect(String(read.exif)).toContain('Acme GmbH');
    expect(await pixelsOf(after)).toEqual(await pixelsOf(before));
  });

  it.runIf(/^(?:PNG|JPEG|TIFF)/.test(name))('the picture passes the header check', async () => {
    expect(await readPictureHeaderOfBytes(after, 1_000)).toMatchObject(size);
  });
});

it('a JPEG with padding before its first segment keeps JFIF before Exif and XMP', async () => {
  const jpeg = await opaque().jpeg().toBuffer();
  const jfif = Buffer.from('ffe000104a46494600010100000100010000', 'hex');
  const padded = Buffer.concat([jpeg.subarray(0, 2), Buffer.from([0xff]), jfif, jpeg.subarray(2)]);
  const written = await insert(padded, full);
  const starts = ['JFIF', 'Exif', 'http://ns.adobe.com/xap'].map((text) => written.indexOf(text));
  expect(starts).toEqual(starts.toSorted((one, other) => one - other));
  expect(starts).not.toContain(-1);
});

describe('text in metadata', () => {
  it('text is read back unchanged, or as XML allows', async () => {
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
      expect(tags[index]?.problems, what).toEqual([]);
      expect(tags[index]?.own, what).toEqual({
        'XMP-dc:Title': read,
        'XMP-iptcCore:AltTextAccessibility': read,
        'XMP-dc:Subject': [read, 'a b'],
        'XMP-iptcExt:ProductInImage': [{ ProductId: read }],
        ...iimOf({ 'IPTC:ObjectName': read, 'IPTC:Keywords': [read, 'a b'] }),
      });
    }
  });

  it('an empty text omits its field, and no metadata is written if all texts are empty', () => {
    const {
      xmp,
      exif: texts,
      iim,
    } = packetsOf({
      title: '',
      keywords: ['', ' '],
      sku: ' \n',
      credit: 'Acme',
    });
    expect(xmp.toString()).not.toMatch(/dc:title>|dc:subject>|ProductInImage>/);
    expect(texts.size).toBe(0);
    expect(iim?.toString('latin1').slice(-4)).toBe('Acme');
    expect(createMetadataPackets({ title: ' ', keywords: [] })).toBeNull();
    expect(packetsOf({ sku: 'CH-1' })).toMatchObject({ iim: null, exif: new Map() });
  });

  it.each<[field: string, metadata: (text: string) => PictureMetadata, maxBytes: number]>([
    ['title', (title) => ({ title }), 64],
    ['creator', (creator) => ({ creator }), 32],
    ['credit', (credit) => ({ credit }), 32],
    ['copyright', (copyright) => ({ copyright }), 128],
    ['description', (description) => ({ description }), 2_000],
    ['keywords', (keyword) => ({ keywords: [keyword] }), 64],
  ])(
    'text is truncated to the standard length only in IPTC-IIM: %s',
    (_field, metadata, maxBytes) => {
      const whole = 'ä'.repeat(maxBytes / 2);
      const last = ({ iim }: MetadataPackets) => iim?.subarray(-maxBytes).toString();
      expect(last(packetsOf(metadata(whole)))).toBe(whole);
      const longer = packetsOf(metadata(`x${whole}`));
      // A two-byte character that would be cut is left out.
      expect(longer.iim?.toString()).toMatch(new RegExp(`x${'ä'.repeat(maxBytes / 2 - 1)}$`));
      expect(longer.xmp.toString()).toContain(`x${whole}`);
    },
  );
});

describe('a file that cannot hold metadata', () => {
  const bigTiff = Buffer.from('49492b0008000000100000000000000000000000', 'hex');
  it.each<[string, () => Promise<Buffer>]>([
    ['a GIF', () => opaque().gif().toBuffer()],
    ['a BigTIFF', async () => bigTiff],
    ['an empty file', async () => Buffer.alloc(0)],
    ['a truncated JPEG', async () => (await opaque().jpeg().toBuffer()).subarray(0, 40)],
    ['a truncated PNG', async () => (await opaque().png().toBuffer()).subarray(0, 45)],
    ['a TIFF without a directory', async () => Buffer.from('49492a00ffffff0000000000', 'hex')],
    ['an AVIF from another encoder', async () => otherAvif()],
  ])('%s is refused', async (_what, picture) => {
    await expect(insert(await picture(), full)).rejects.toBeInstanceOf(PictureError);
  });

  async function otherAvif(): Promise<Buffer> {
    const picture = await opaque().avif({ effort: 0 }).toBuffer();
    picture.writeUInt8(1, picture.indexOf('iloc') + 4);
    return picture;
  }
});
