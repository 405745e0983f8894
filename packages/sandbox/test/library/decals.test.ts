// Decals: types, signed Content-Type, real dimensions.

import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasSharedData, sharedPath } from '../../../../test/glb/_shared-data.ts';
import { createDecal, plainImage, readyDecal } from '../_library.ts';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
beforeEach(() => {
  sandbox = new TestSandbox();
});
afterEach(() => sandbox.sandbox.close());

const read = async (decalId: string) => (await sandbox.call(`GET /decals/${decalId}`)).body;
const svg = (size: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${size}/>`);

describe('creation', () => {
  test.each([
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['jpeg', 'image/jpeg'],
    ['webp', 'image/webp'],
    ['gif', 'image/gif'],
    ['svg', 'image/svg+xml'],
    ['tif', 'image/tiff'],
    ['tiff', 'image/tiff'],
  ])('a .%s file must be sent as %s', async (extension, contentType) => {
    const made = await createDecal(sandbox, { fileName: `My_logo.${extension.toUpperCase()}` });
    expect(made).toMatchObject({ name: 'My logo', contentType });
    expect(await read(made.decalId)).toMatchObject({ fileType: extension, status: 'PENDING' });
  });

  test('file names with other types are listed as errors', async () => {
    const { status, body } = await sandbox.call('POST /decals', {
      decals: [{ fileName: 'a.bmp' }, { fileName: 'b.png' }],
    });
    expect(status).toBe(201);
    expect(body).toMatchObject({
      decals: [{ name: 'b' }],
      errors: [expect.stringContaining('bmp')],
    });
    expect((await sandbox.call('POST /decals', { decals: [{ fileName: 'a' }] })).status).toBe(400);
  });
});

describe('upload', () => {
  test.each([
    ['image/jpeg', 403],
    ['image/png; charset=utf-8', 403],
    ['IMAGE/PNG', 403],
    [undefined, 403],
    ['image/png', 200],
  ])('a PNG sent as %s gets status %i', async (contentType, status) => {
    const { decalId, uploadUrl } = await createDecal(sandbox);
    const put = await sandbox.put(uploadUrl, await plainImage(), contentType);
    expect(put.status).toBe(status);
    if (status === 403) expect(await put.text()).toContain('image/png');
    expect(await read(decalId)).toMatchObject({ status: status === 200 ? 'UPLOADING' : 'PENDING' });
  });
});

describe('confirmation', () => {
  const images: [string, string, () => Buffer | Promise<Buffer>, number, number][] = [
    ['rotated JPEG', 'jpeg', () => rotated(40, 10), 10, 40],
    ['SVG without a size', 'svg', () => svg('viewBox="0 0 64 48"'), 64, 48],
  ];
  test.each(images)(
    'confirming a %s reads its size',
    async (_title, fileType, image, width, height) => {
      const decalId = await readyDecal(sandbox, { fileType }, await image());
      expect(await read(decalId)).toMatchObject({ status: 'READY', width, height });
    },
  );

  test.each([
    ['a file that is not an image', () => Buffer.from('hello')],
    ['an empty file', () => Buffer.alloc(0)],
    ['a truncated image', async () => half(await noise())],
  ])(
    'confirming %s is refused and leaves the decal FAILED, until a valid image is uploaded',
    async (_title, bytes) => {
      const { decalId, uploadUrl, contentType } = await createDecal(sandbox);
      await sandbox.put(uploadUrl, await bytes(), contentType);
      expect(await sandbox.call(`POST /decals/${decalId}/confirm`)).toMatchObject({
        status: 400,
        body: { error: { code: 'VALIDATION_ERROR' } },
      });
      expect(await read(decalId)).toMatchObject({ status: 'FAILED', width: 0, height: 0 });
      await sandbox.put(uploadUrl, await plainImage(), contentType);
      expect((await sandbox.call(`POST /decals/${decalId}/confirm`)).body).toEqual({
        decalId,
        status: 'READY',
      });
    },
  );

  test('confirming a decal without a file is refused', async () => {
    const { decalId } = await createDecal(sandbox);
    expect(await sandbox.call(`POST /decals/${decalId}/confirm`)).toMatchObject({
      status: 400,
      body: { error: { code: 'FILE_NOT_UPLOADED' } },
    });
  });

  test.skipIf(!hasSharedData)('confirming real pictures reads their sizes', async () => {
    for (const file of ['chair_label.png', 'shrub_sorrel_01_color_1k.png']) {
      const bytes = readFileSync(sharedPath(`decals/${file}`));
      const { width, height } = await sharp(bytes).metadata();
      const decalId = await readyDecal(sandbox, { fileName: file }, bytes);
      expect(await read(decalId)).toMatchObject({ status: 'READY', width, height });
    }
  });
});

/** A camera picture with a rotation flag. Its displayed height is its stored width. */
function rotated(width: number, height: number): Promise<Buffer> {
  return sharp({ create: { width, height, channels: 3, background: '#888' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer();
}

function noise(): Promise<Buffer> {
  const pixels = Buffer.from(
    Array.from({ length: 64 * 64 * 3 }, (_, index) => (index * 7919) % 251),
  );
  return sharp(pixels, { raw: { width: 64, height: 64, channels: 3 } })
    .png()
    .toBuffer();
}

function half(bytes: Buffer): Buffer {
  return bytes.subarray(0, bytes.length / 2);
}
