import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { isPictureFile, pictureHeadBytes } from '../../src/features/library/inspect-pictures.ts';

const drawn = async (type: 'png' | 'jpeg' | 'webp' | 'gif' | 'tiff') =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: '#204060' } })
    .toFormat(type)
    .toBuffer();

const looks = (bytes: Uint8Array, fileType: string) =>
  isPictureFile(bytes.subarray(0, pictureHeadBytes), fileType);

describe('the header of a picture', () => {
  it.each(['png', 'jpeg', 'webp', 'gif', 'tiff'] as const)(
    'a picture in %s format is recognized',
    async (type) => {
      expect(looks(await drawn(type), type)).toBe(true);
    },
  );

  it('a picture is recognized even under another file type', async () => {
    expect(looks(await drawn('png'), 'jpg')).toBe(true);
  });

  it.each([
    ['big-endian TIFF', 'tif', Buffer.from('MM\0*\0\0\0\b')],
    ['OpenEXR', 'exr', Buffer.from([0x76, 0x2f, 0x31, 0x01, 2, 0])],
    ['SVG', 'svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>')],
    ['SVG with a byte order mark', 'svg', Buffer.from('\uFEFF\n<?xml version="1.0"?>')],
    ['SVG in UTF-16', 'svg', Buffer.from('\uFEFF<svg/>', 'utf16le')],
  ])('a picture in %s format is recognized', (_what, fileType, bytes) => {
    expect(looks(bytes, fileType)).toBe(true);
  });

  it.each([
    ['an empty file', 'png', Buffer.from('')],
    ['text', 'png', Buffer.from('no picture')],
    ['a web page', 'png', Buffer.from('<!doctype html><html>')],
    ['a RIFF sound file', 'webp', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
    ['a PDF', 'svg', Buffer.from('%PDF-1.7')],
    ['only the first byte of a JPEG', 'jpg', Buffer.from([0xff])],
  ])('no picture is recognized in %s', (_what, fileType, bytes) => {
    expect(looks(bytes, fileType)).toBe(false);
  });
});
