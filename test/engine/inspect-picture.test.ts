// A delivered picture must be complete, of the requested format, large enough and not blank.

import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largeTiff } from '../../bench/transfers/large-tiff.ts';
import {
  createInspector,
  inspectPicture,
  type PictureRules,
} from '../../src/features/delivery/inspect-output.ts';
import { OutputError } from '../../src/features/delivery/outputs/output-error.ts';
import { findOutputKind } from '../../src/features/delivery/outputs/output-types.ts';
import type { OutputRef } from '../../src/features/renders/platform-ids.ts';
import { png } from '../pictures/_pictures.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'renderline-pictures-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const output = (fileType: string, more: Partial<OutputRef> = {}): OutputRef => ({
  id: 'r1',
  name: 'Hero',
  fileType,
  isVideo: false,
  isPreview: false,
  ...more,
});
const rules: PictureRules = { notBlank: true };

/** A gradient over noise, so that the picture is not blank. */
async function draw(
  name: string,
  format: 'png' | 'jpeg' | 'tiff' | 'webp',
  width = 64,
  height = 48,
) {
  const pixels = Buffer.alloc(width * height * 3, 200);
  for (let at = 0; at < pixels.length; at += 7) pixels[at] = at % 251;
  const file = join(folder, name);
  await sharp(pixels, { raw: { width, height, channels: 3 } })
    .toFormat(format)
    .toFile(file);
  return file;
}

async function blank(name: string, channels: 3 | 4) {
  const file = join(folder, name);
  const background = { r: 255, g: 255, b: 255, alpha: 0 };
  await sharp({ create: { width: 40, height: 40, channels, background } })
    .png()
    .toFile(file);
  return file;
}

async function codeOf(look: Promise<unknown>): Promise<string> {
  return look.then(
    () => 'fine',
    (error: unknown) => {
      expect(error).toBeInstanceOf(OutputError);
      return error instanceof OutputError ? error.code : '';
    },
  );
}

describe('a sound picture', () => {
  it.each([
    ['PNG', 'png'],
    ['JPEG', 'jpeg'],
    ['JPG', 'jpeg'],
    ['TIFF', 'tiff'],
    ['png', 'png'],
  ] as const)('%s is accepted with its size', async (fileType, format) => {
    const file = await draw(`sound-${fileType}`, format);
    expect(await inspectPicture(file, output(fileType), rules)).toEqual({ width: 64, height: 48 });
  });

  it('a picture of the minimum size is accepted', async () => {
    const file = await draw('exact', 'png');
    const exact = { notBlank: true, minWidth: 64, minHeight: 48 };
    expect(await codeOf(inspectPicture(file, output('PNG'), exact))).toBe('fine');
  });
});

describe('a picture that is not as requested', () => {
  it.each([
    ['the first half', 0.5],
    ['all but the last tenth', 0.9],
    ['the header', 0.05],
  ])('a PNG is refused if only %s is present', async (_name, share) => {
    const file = await draw(`cut-${share}`, 'png', 400, 300);
    await truncate(file, Math.round((await readFile(file)).length * share));
    expect(await codeOf(inspectPicture(file, output('PNG'), rules))).toBe('OUTPUT_UNREADABLE');
  });

  it('half of a JPEG is refused', async () => {
    const file = await draw('cut-jpeg', 'jpeg', 400, 300);
    await truncate(file, Math.round((await readFile(file)).length / 2));
    expect(await codeOf(inspectPicture(file, output('JPEG'), rules))).toBe('OUTPUT_UNREADABLE');
  });

  it.each([
    ['a row', 1_000, {}],
    ['a third', 20_000, {}],
    ['a row of one that is decoded a few rows at a time', 45_000, { maxPixels: 40_000_000 }],
  ])('a TIFF is refused if it lacks its last bytes: %s', async (name, cut, more) => {
    const file = join(folder, name);
    const tiff = largeTiff('maxPixels' in more ? 205 * 1024 ** 2 : 60_000);
    await writeFile(file, tiff.pieces());
    const look = () => codeOf(inspectPicture(file, output('TIFF'), { ...rules, ...more }));
    expect(await look()).toBe('fine');
    await truncate(file, tiff.bytes - cut);
    expect(await look()).toBe('OUTPUT_UNREADABLE');
  });

  it.each([
    ['of one colour is blank', null, 'OUTPUT_BLANK'],
    ['but for its last pixel is not', 'white', 'fine'],
    ['but for a level of its last pixel is not', '#fe0000', 'fine'],
  ])('a picture too large for memory %s', async (name, background, code) => {
    const file = join(folder, `${name}.png`);
    const dot = background && { create: { width: 1, height: 1, channels: 3, background } as const };
    await sharp({ create: { width: 6_000, height: 6_000, channels: 3, background: 'red' } })
      .composite(dot ? [{ input: dot, left: 5_999, top: 5_999 }] : [])
      .png({ compressionLevel: 1 })
      .toFile(file);
    const max = { ...rules, maxPixels: 36_000_000 };
    expect(await codeOf(inspectPicture(file, output('PNG'), max))).toBe(code);
  });

  it.each([
    ['an error page', '<html><body>502 Bad Gateway</body></html>'],
    ['nothing', ''],
  ])('%s is refused as unreadable', async (name, text) => {
    const file = join(folder, name);
    await writeFile(file, text);
    expect(await codeOf(inspectPicture(file, output('PNG'), rules))).toBe('OUTPUT_UNREADABLE');
  });

  it('a JPEG instead of the promised PNG is refused', async () => {
    const file = await draw('disguised.png', 'jpeg');
    expect(await codeOf(inspectPicture(file, output('PNG'), rules))).toBe('OUTPUT_FORMAT');
  });

  it.each([
    ['too narrow', { minWidth: 65 }],
    ['too short', { minHeight: 49 }],
  ])('a picture that is %s is refused', async (name, more) => {
    const file = await draw(name, 'png');
    expect(await codeOf(inspectPicture(file, output('PNG'), { notBlank: true, ...more }))).toBe(
      'OUTPUT_TOO_SMALL',
    );
  });

  it.each([
    ['one colour', 3],
    ['nothing but transparency', 4],
  ] as const)('a picture of %s is blank', async (name, channels) => {
    const file = await blank(name, channels);
    expect(await codeOf(inspectPicture(file, output('PNG'), rules))).toBe('OUTPUT_BLANK');
    expect(await codeOf(inspectPicture(file, output('PNG'), { notBlank: false }))).toBe('fine');
  });

  it('a picture with one differing pixel is not blank', async () => {
    const pixels = Buffer.alloc(64 * 48 * 3, 255);
    pixels[pixels.length - 1] = 0;
    const file = join(folder, 'speck.png');
    await sharp(pixels, { raw: { width: 64, height: 48, channels: 3 } })
      .png()
      .toFile(file);
    expect(await codeOf(inspectPicture(file, output('PNG'), rules))).toBe('fine');
  });

  it('a refused picture is reported by its name and id, not by a local path', async () => {
    const file = join(folder, 'garbage');
    await writeFile(file, 'no picture at all');
    const look = inspectPicture(file, output('PNG'), rules);
    await expect(look).rejects.toThrow('output "Hero" (r1): cannot be read as a picture');
    await expect(look).rejects.not.toThrow(folder);
  });
});

it("a picture that cannot be opened on this machine fails with the file system's error", async () => {
  const look = inspectPicture(join(folder, 'nothing-there'), output('PNG'), rules);
  await expect(look).rejects.toMatchObject({ code: 'ENOENT' });
});

describe('inspecting a video', () => {
  const film = output('MP4', { isVideo: true });
  it.each([
    ['MP4', '\0\0\0 ftypisom', 'fine'],
    ['QuickTime', '\0\0\0\u0008wide', 'fine'],
    ['a page of HTML', '<html>502</html>', 'OUTPUT_UNREADABLE'],
    ['nothing', '', 'OUTPUT_UNREADABLE'],
  ])('a video (%s) is recognized by its first bytes', async (name, text, code) => {
    const file = join(folder, `film ${name}`);
    await writeFile(file, text);
    expect(await codeOf(createInspector(film, rules)(file, ''))).toBe(code);
  });
});

it.each([
  ['PNG', false, 'picture'],
  ['tif', false, 'picture'],
  ['PNG', true, 'picture'],
  ['PRORES', true, 'video'],
  ['mp4', false, 'video'],
  ['SVG', false, null],
  ['PDF', false, null],
  ['HOLOGRAM', true, null],
])('an output of type %s, with `isVideo: %s`, is inspected as %s', (fileType, isVideo, kind) => {
  expect(findOutputKind(output(fileType, { isVideo }))).toBe(kind);
});

it.each([
  ['more pixels than were asked for', 1_000],
  ['pixels without end', undefined],
])('a picture with %s is not decoded', async (name, maxPixels) => {
  const file = join(folder, name);
  await writeFile(file, png(16_383, 16_383));
  const look = inspectPicture(file, output('PNG'), { ...rules, maxPixels });
  expect(await codeOf(look)).toBe('OUTPUT_TOO_LARGE');
});
