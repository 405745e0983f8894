// Processing of a material: generated maps for missing channels, and a thumbnail.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { hasSharedData, sharedPath } from '../../../../test/glb/_shared-data.ts';
import { createSandboxApp } from '../../src/server/app.ts';
import { confirmMaterial, createMaterial, plainImage, readyMaterial } from '../_library.ts';
import { TestSandbox } from '../_test-sandbox.ts';

let sandbox: TestSandbox;
let data: string;
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'renderline-library-'));
  sandbox = new TestSandbox({ data });
});
afterEach(async () => {
  await sandbox.sandbox.close();
  rmSync(data, { recursive: true, force: true });
});

/** Reads a file of a material from the CDN. */
async function file(materialId: string, name: string): Promise<Buffer> {
  const response = await sandbox.request(`/cdn/materials/${materialId}/${name}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

/** Mean of each channel, 0 to 255. */
async function means(image: Buffer): Promise<number[]> {
  const { channels } = await sharp(image).stats();
  return channels.map(({ mean }) => Math.round(mean));
}

/** The left half is black and the right half white. One edge is in the middle, and one where the tile repeats. */
function step(): Promise<Buffer> {
  const pixels = Buffer.alloc(64 * 64 * 3);
  for (let at = 0; at < 64 * 64; at += 1) pixels.fill(at % 64 < 32 ? 0 : 255, at * 3, at * 3 + 3);
  return sharp(pixels, { raw: { width: 64, height: 64, channels: 3 } })
    .png()
    .toBuffer();
}

describe('channels that are missing', () => {
  test('a plain colour gets flat normals, no metal and full opacity', async () => {
    const id = await readyMaterial(sandbox, {}, await plainImage('#c8141e'));
    expect(await means(await file(id, 'generated-normal.png'))).toEqual([128, 128, 255]);
    expect(await means(await file(id, 'generated-metallic.png'))).toEqual([0, 0, 0]);
    expect(await means(await file(id, 'generated-opacity.png'))).toEqual([255, 255, 255]);
    expect((await sandbox.request(`/cdn/materials/${id}/generated-diffuse.png`)).status).toBe(404);
  });

  test('normals point away from the higher side', async () => {
    const id = await readyMaterial(sandbox, {}, await step());
    const { data: pixels } = await sharp(await file(id, 'generated-normal.png'))
      .raw()
      .toBuffer({ resolveWithObject: true });
    const redAt = (x: number) => pixels[(32 * 64 + x) * 3] ?? 0;
    // The height rises in the middle, so the normal points left. It is flat inside and falls at the seam.
    expect(redAt(32)).toBeLessThan(90);
    expect(redAt(16)).toBe(128);
    expect(redAt(0)).toBeGreaterThan(165);
  });

  test('bright areas are smoother than dark ones', async () => {
    const id = await readyMaterial(sandbox, {}, await step());
    const rough = sharp(await file(id, 'generated-roughness.png'));
    const half = async (left: number) =>
      means(await rough.clone().extract({ left, top: 0, width: 32, height: 64 }).png().toBuffer());
    const [dark = 0] = await half(0);
    const [bright = 0] = await half(32);
    expect(dark).toBeGreaterThan(bright + 50);
  });

  test("the colour's alpha becomes the opacity", async () => {
    const half = await sharp({
      create: { width: 8, height: 8, channels: 4, background: { r: 200, g: 0, b: 0, alpha: 0.5 } },
    })
      .png()
      .toBuffer();
    const id = await readyMaterial(sandbox, {}, half);
    const [opacity = 0] = await means(await file(id, 'generated-opacity.png'));
    expect(opacity).toBeGreaterThan(126);
    expect(opacity).toBeLessThan(129);
  });

  test('transparent pixels do not affect the colour', async () => {
    const leaf = await sharp({
      create: { width: 9, height: 9, channels: 4, background: { r: 0, g: 0, b: 0, alpha: 0 } },
    })
      .composite([{ input: await plainImage('#289640', 'png', 4, 4), left: 2, top: 2 }])
      .png()
      .toBuffer();
    await readyMaterial(sandbox, { name: 'Fern' }, leaf);
    const green = await sandbox.call('GET /materials?search=green');
    expect(green.body).toMatchObject({ materials: [{ name: 'Fern' }] });
  });

  test('a material without a colour map gets a neutral colour map', async () => {
    const textures = [{ channel: 'roughness', fileType: 'png' }];
    const id = await readyMaterial(sandbox, { textures }, await plainImage('#808080'));
    expect(await means(await file(id, 'generated-diffuse.png'))).toEqual([186, 186, 186]);
    expect((await sandbox.request(`/cdn/materials/${id}/generated-roughness.png`)).status).toBe(
      404,
    );
  });
});

describe('images of many kinds', () => {
  /** A ramp from black to white, left to right. */
  const ramp = (bits: 8 | 16) => {
    const values = Array.from({ length: 64 * 64 }, (_, at) => Math.round(((at % 64) / 63) * 255));
    const pixels = bits === 8 ? Uint8Array.from(values) : Uint16Array.from(values, (v) => v * 257);
    const image = sharp(pixels, { raw: { width: 64, height: 64, channels: 1 } });
    return (bits === 8 ? image : image.toColourspace('grey16')).png().toBuffer();
  };
  const depth = [{ channel: 'depth', fileType: 'png' }];

  test('a 16-bit image produces the same normals as an 8-bit image', async () => {
    const [eight, sixteen] = [
      await readyMaterial(sandbox, { textures: depth }, await ramp(8)),
      await readyMaterial(sandbox, { textures: depth }, await ramp(16)),
    ];
    const normals = await file(sixteen, 'generated-normal.png');
    expect(await means(normals)).toEqual(await means(await file(eight, 'generated-normal.png')));
    // The height rises to the right, so the normals point left.
    expect((await means(normals))[0]).toBeLessThan(128);
  });

  test.each<[string, (image: Sharp) => Sharp]>([
    ['greyscale', (image) => image.greyscale().png()],
    ['a palette', (image) => image.png({ palette: true, colours: 4 })],
    ['CMYK', (image) => image.toColourspace('cmyk').jpeg()],
    ['16 bits per channel', (image) => image.toColourspace('rgb16').png()],
    ['one pixel', (image) => image.resize(1, 1).png()],
    ['a strip', (image) => image.resize(3000, 1, { fit: 'fill' }).png()],
  ])('the maps created from an image keep its aspect ratio: %s', async (_kind, make) => {
    const image = await make(sharp(await step())).toBuffer();
    const { width, height } = await sharp(image).metadata();
    const id = await readyMaterial(sandbox, {}, image);
    for (const channel of ['normal', 'roughness', 'metallic', 'depth', 'opacity']) {
      const made = await sharp(await file(id, `generated-${channel}.png`)).metadata();
      const scale = Math.min(1, 512 / Math.max(width, height));
      expect([made.width, made.height], channel).toEqual([
        Math.max(1, Math.round(width * scale)),
        Math.max(1, Math.round(height * scale)),
      ]);
    }
  });
});

test('another image uploaded to the same link is processed after its confirmation', async () => {
  const material = await createMaterial(sandbox);
  const [upload] = material.uploads;
  const put = async (color: string) =>
    sandbox.put(upload?.uploadUrl ?? '', await plainImage(color));
  const found = async (search: string) =>
    (await sandbox.call<{ total: number }>(`GET /materials?search=${search}`)).body.total;
  await put('#c8141e');
  await confirmMaterial(sandbox, { ...material, name: 'Hide' });
  await sandbox.sandbox.idle();
  expect([await found('red'), await found('blue')]).toEqual([1, 0]);
  await put('#1e50c8');
  await confirmMaterial(sandbox, { ...material, name: 'Hide' });
  await sandbox.sandbox.idle();
  expect([await found('red'), await found('blue')]).toEqual([0, 1]);
});

test('a texture replaced during processing gets the generated maps of the new texture', async () => {
  const material = await createMaterial(sandbox);
  // The large image takes longer, so its processing would be the last to end.
  for (const image of [
    await plainImage('#c8141e', 'png', 4000, 4000),
    await plainImage('#1e50c8', 'png', 10, 20),
  ]) {
    await sandbox.put(material.uploads[0]?.uploadUrl ?? '', image);
    sandbox.advance(1);
    await confirmMaterial(sandbox, material);
  }
  await sandbox.sandbox.idle();
  const map = await sharp(await file(material.materialId, 'generated-normal.png')).metadata();
  expect([map.width, map.height]).toEqual([10, 20]);
});

test('a sandbox that stopped during processing continues at its next start', async () => {
  const material = await createMaterial(sandbox);
  await sandbox.put(material.uploads[0]?.uploadUrl ?? '', await plainImage());
  await confirmMaterial(sandbox, material);
  await sandbox.sandbox.close();
  const again = createSandboxApp({ data, clock: () => sandbox.now, rateLimit: 0, pictureScale: 0 });
  await again.idle();
  const read = async () => {
    const response = await again.app.request(`/api/v1/materials/${material.materialId}`, {
      headers: { 'x-api-key': again.apiKey },
    });
    return ((await response.json()) as { status: string }).status;
  };
  expect(await read()).toBe('processing');
  sandbox.advance(120);
  expect(await read()).toBe('ready');
  await again.close();
});

test.skipIf(!hasSharedData)(
  'a real texture set becomes ready, and its thumbnail shows more than one colour',
  async () => {
    const drawing = new TestSandbox({ pictureScale: 1 });
    try {
      const channels = {
        diffuse: 'Color',
        normal: 'Normal',
        roughness: 'Roughness',
        metallic: 'Metalness',
        depth: 'Displacement',
      };
      const material = await createMaterial(drawing, {
        name: 'Gold',
        textures: Object.keys(channels).map((channel) => ({ channel, fileType: 'jpg' })),
      });
      for (const [at, name] of Object.values(channels).entries()) {
        const bytes = readFileSync(sharedPath(`textures/Metal007/Metal007_1K_${name}.jpg`));
        expect((await drawing.put(material.uploads[at]?.uploadUrl ?? '', bytes)).status).toBe(200);
      }
      await confirmMaterial(drawing, material);
      await drawing.sandbox.idle();
      drawing.advance(120);
      const { body } = await drawing.call(`GET /materials/${material.materialId}`);
      expect(body).toMatchObject({ status: 'ready' });
      const picture = await drawing.request(String(body['thumbnailUrl']));
      const { channels: found } = await sharp(Buffer.from(await picture.arrayBuffer())).stats();
      // A shaded ball does not have only one colour.
      expect(found[0]?.stdev).toBeGreaterThan(15);
    } finally {
      await drawing.sandbox.close();
    }
  },
);
