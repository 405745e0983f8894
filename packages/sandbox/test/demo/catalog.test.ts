// The demo catalog: valid files, named slots, variants, deterministic bytes, and pictures that differ.
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectModelFile } from '../../../../src/glb/inspect-model.ts';
import { writeCatalog } from '../../src/demo/catalog.ts';
import { DrawableModel } from '../../src/drawing/drawable-model.ts';
import { templateLooks } from '../../src/drawing/templates.ts';
import { readScene } from '../../src/scene/scene.ts';

const slots: Readonly<Record<string, readonly string[]>> = {
  'kitchen/bottle.glb': ['body', 'ring', 'cap', 'body Coral', 'body Moss'],
  'kitchen/bowl.glb': ['outside', 'inside'],
  'kitchen/mug.glb': ['body', 'inside', 'handle', 'body Sunrise', 'body Midnight'],
  'kitchen/teapot.glb': ['body', 'spout', 'lid', 'handle'],
  'living/chair.glb': ['seat', 'frame', 'seat Forest', 'seat Clay', 'seat Deep Sea'],
  'living/clock.glb': ['frame', 'dial', 'hands', 'second hand'],
  'living/lamp.glb': ['shade', 'legs', 'metal', 'bulb'],
  'living/stool.glb': ['seat', 'legs', 'ring'],
  'living/table.glb': ['top', 'legs', 'feet'],
  'living/vase.glb': ['glaze', 'inside'],
};
const variants: Readonly<Record<string, readonly string[]>> = {
  'kitchen/bottle.glb': ['Ocean', 'Coral', 'Moss'],
  'kitchen/mug.glb': ['Classic', 'Sunrise', 'Midnight'],
  'living/chair.glb': ['Sand', 'Forest', 'Clay', 'Deep Sea'],
};

let folder = '';
let files: readonly string[] = [];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'catalog-'));
  files = await writeCatalog(join(folder, 'first'));
});
afterAll(() => rm(folder, { recursive: true }));

function model(file: string): Promise<Buffer> {
  return readFile(join(folder, 'first', file));
}

describe('writeCatalog', () => {
  it('writeCatalog writes ten products in two folders', () => {
    expect(files).toEqual(Object.keys(slots));
  });

  it('writeCatalog writes the same bytes every time', async () => {
    await writeCatalog(join(folder, 'second'));
    for (const file of files) {
      const again = await readFile(join(folder, 'second', file));
      const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
      expect({ file, hash: hash(again) }).toEqual({ file, hash: hash(await model(file)) });
    }
  });
});

describe.each(Object.keys(slots))('the product %s', (file) => {
  it('the file is accepted and has the expected slots and variants', async () => {
    expect(await inspectModelFile(join(folder, 'first', file))).toMatchObject({
      verdict: 'accept',
      materials: slots[file],
      variants: variants[file] ?? [],
    });
  });

  it('the product stands on the floor and faces outwards', async () => {
    const { positions, normals, indices, min, max } = await readScene(await model(file), 'glb');
    expect(Math.abs(min[1])).toBeLessThan(0.02);
    expect(max[1]).toBeGreaterThan(0.05);
    expect(max[1]).toBeLessThan(2);
    let agree = 0;
    let total = 0;
    for (let at = 0; at < indices.length; at += 3) {
      const [a = 0, b = 0, c = 0] = indices.subarray(at, at + 3);
      const edge = (to: number, axis: number): number =>
        (positions[to * 3 + axis] ?? 0) - (positions[a * 3 + axis] ?? 0);
      const normal = (axis: number): number => normals[a * 3 + axis] ?? 0;
      const facing =
        (edge(b, 1) * edge(c, 2) - edge(b, 2) * edge(c, 1)) * normal(0) +
        (edge(b, 2) * edge(c, 0) - edge(b, 0) * edge(c, 2)) * normal(1) +
        (edge(b, 0) * edge(c, 1) - edge(b, 1) * edge(c, 0)) * normal(2);
      if (Math.abs(facing) < 1e-14) continue;
      total += 1;
      if (facing > 0) agree += 1;
    }
    expect(agree / total).toBeGreaterThan(0.99);
  });

  it('all normals have unit length, and all coordinates are finite', async () => {
    const { positions, normals, uv0 } = await readScene(await model(file), 'glb');
    expect([...positions, ...(uv0 ?? [])].every(Number.isFinite)).toBe(true);
    for (let at = 0; at < normals.length; at += 3) {
      const [x = 0, y = 0, z = 0] = normals.subarray(at, at + 3);
      expect(Math.hypot(x, y, z)).toBeCloseTo(1, 2);
    }
  });

  it('each variant looks different', async () => {
    const drawable = await DrawableModel.read(await model(file), 'glb');
    const [look] = templateLooks;
    if (look === undefined) throw new Error('no looks');
    const names = drawable.scene.variants;
    const pictures = await Promise.all(
      names.map((variant) => drawable.draw({ look, width: 64, height: 36, variant })),
    );
    const distinct = new Set(pictures.map(({ data }) => Buffer.from(data).toString('base64')));
    expect(distinct.size).toBe(names.length);
    // The first variant is the unchanged product.
    if (pictures[0] !== undefined) {
      expect((await drawable.draw({ look, width: 64, height: 36 })).data).toEqual(pictures[0].data);
    }
  });
});
