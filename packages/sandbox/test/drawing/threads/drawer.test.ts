// Single jobs: which are drawn, which become placeholders, and which models stay in memory.
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { bareJson, makeGlb, triangleGlb } from '../../../../../test/glb/_make-glb.ts';
import { encodePicture } from '../../../src/drawing/pictures/encode.ts';
import {
  drawPlaceholder,
  type PlaceholderOptions,
} from '../../../src/drawing/pictures/placeholder.ts';
import type { DrawSpec } from '../../../src/drawing/threads/draw-job.ts';
import { Drawer } from '../../../src/drawing/threads/drawer.ts';
import { ModelUnreadableError } from '../../../src/scene/scene.ts';
import { plainLook } from '../_pictures.ts';

const spec: DrawSpec = {
  modelId: 'm1',
  fileType: 'glb',
  name: 'triangle',
  look: plainLook,
  width: 48,
  height: 27,
  format: 'PNG',
};

// Counts the reads of the model.
function source(bytes: Uint8Array = triangleGlb()) {
  const reads = { count: 0 };
  const read = (): Promise<Uint8Array> => {
    reads.count += 1;
    return Promise.resolve(bytes);
  };
  return { reads, read };
}

/** The placeholder that is drawn instead of the model of `spec`. */
async function placeholder(change: Partial<PlaceholderOptions> = {}): Promise<Buffer> {
  return encodePicture(await drawPlaceholder({ ...spec, ...change }), 'PNG');
}

describe('Drawer', () => {
  it.each(['PNG', 'JPEG', 'TIFF'] as const)(
    'Drawer draws a %s of the requested size',
    async (format) => {
      const drawn = await new Drawer().draw({ ...spec, format }, source().read);
      const info = await sharp(drawn).metadata();
      expect([info.format, info.width, info.height]).toEqual([format.toLowerCase(), 48, 27]);
    },
  );

  it('Drawer reads a model only once for many pictures', async () => {
    const drawer = new Drawer();
    const { reads, read } = source();
    expect(drawer.isReady(spec)).toBe(false);
    const first = await drawer.draw(spec, read);
    const second = await drawer.draw(spec, read);
    expect(reads.count).toBe(1);
    expect(drawer.isReady(spec)).toBe(true);
    expect(second).toEqual(first);
  });

  it('Drawer reads a model once for each id', async () => {
    const drawer = new Drawer();
    const { reads, read } = source();
    await drawer.draw(spec, read);
    await drawer.draw({ ...spec, modelId: 'm2' }, read);
    expect(reads.count).toBe(2);
    expect(drawer.modelCount).toBe(2);
  });

  it('Drawer drops the least recently used models when memory is short', async () => {
    const probe = new Drawer();
    await probe.draw(spec, source().read);
    const drawer = new Drawer(1);
    const { reads, read } = source();
    for (const modelId of ['a', 'b', 'a', 'a']) await drawer.draw({ ...spec, modelId }, read);
    expect(drawer.modelCount).toBe(1);
    expect(reads.count).toBe(3);
  });

  it.each(['fbx', 'obj', 'usdz', 'stl'])(
    'Drawer returns a placeholder for .%s without reading it',
    async (fileType) => {
      const { reads, read } = source();
      const drawer = new Drawer();
      expect(drawer.isReady({ ...spec, fileType })).toBe(true);
      const drawn = await drawer.draw({ ...spec, fileType }, read);
      expect(drawn).toEqual(await placeholder({ fileType }));
      expect(reads.count).toBe(0);
    },
  );

  it('Drawer returns a placeholder for a model without geometry', async () => {
    const drawn = await new Drawer().draw(spec, source(makeGlb(bareJson)).read);
    expect(drawn).toEqual(await placeholder({ reason: 'The model has no geometry' }));
  });

  it('Drawer fails for a broken model, and does not keep the model', async () => {
    const drawer = new Drawer();
    const cut = source(triangleGlb().subarray(0, 60));
    await expect(drawer.draw(spec, cut.read)).rejects.toThrow(ModelUnreadableError);
    expect(drawer.modelCount).toBe(0);
    expect(await drawer.draw(spec, source().read)).not.toEqual(await placeholder());
  });
});
