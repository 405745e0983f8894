// Library materials that replace a model's own: colours, maps and their placement.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasSharedData, sharedPath } from '../../../../../test/glb/_shared-data.ts';
import { DrawableModel } from '../../../src/drawing/drawable-model.ts';
import type { MaterialLook } from '../../../src/drawing/materials/material-swap.ts';
import { stripesPng } from '../../_author.ts';
import {
  addSquare,
  centerOf,
  hueOf,
  isBlack,
  lookNumber,
  paint,
  pixelAt,
  plainLook,
  squareModel,
} from '../_pictures.ts';

const size = { look: plainLook, width: 96, height: 96 };
const red = [1, 0, 0, 1] as const;
const plain = (colorHex: string): MaterialLook => ({ key: colorHex, colorHex, textures: {} });

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'material-swap-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

function file(name: string, bytes: Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const flat = (level: number) =>
  sharp({
    create: { width: 8, height: 8, channels: 3, background: { r: level, g: level, b: level } },
  })
    .png()
    .toBuffer();

const stripes = () =>
  stripesPng([
    [255, 0, 0],
    [0, 255, 0],
    [0, 0, 255],
  ]);

describe('a swapped material', () => {
  it('a swapped material is assigned to a slot by its number, not by its name', async () => {
    const model = await squareModel((authored) => {
      paint(red)(authored);
      addSquare(authored, -5, red).setName('paint');
    });
    const draw = (slot: number) =>
      model.draw({ ...size, swaps: [{ slot, look: plain('#0000ff') }] });
    expect(hueOf(centerOf(await draw(0)))).toBe('blue');
    expect(hueOf(centerOf(await draw(1)))).toBe('red');
  });

  it('a swapped material shows its colour map, not mirrored, instead of the old colour', async () => {
    const model = await squareModel(paint(red));
    const look = {
      key: 's',
      colorHex: '#000000',
      textures: { diffuse: file('s.png', await stripes()) },
    };
    const picture = await model.draw({ ...size, swaps: [{ slot: 0, look }] });
    expect([28, 48, 68].map((x) => hueOf(pixelAt(picture, x, 48)))).toEqual([
      'red',
      'green',
      'blue',
    ]);
  });

  it('a swapped material has holes where its opacity is black', async () => {
    const model = await squareModel(paint(red));
    const opacity = file(
      'o.png',
      await stripesPng([
        [255, 255, 255],
        [0, 0, 0],
      ]),
    );
    const diffuse = file('white.png', await flat(255));
    const look = { key: 'o', colorHex: '#ffffff', textures: { diffuse, opacity } };
    const picture = await model.draw({ ...size, swaps: [{ slot: 0, look }] });
    expect(isBlack(pixelAt(picture, 30, 48))).toBe(false);
    expect(isBlack(pixelAt(picture, 66, 48))).toBe(true);
  });

  it('a swapped material looks different with other roughness and metallic maps', async () => {
    const model = await squareModel(paint(red));
    const [low, high] = [file('low.png', await flat(20)), file('high.png', await flat(250))];
    const draw = async (key: string, roughness: string, metallic: string) => {
      const look = { key, colorHex: '#8080c0', textures: { roughness, metallic } };
      return centerOf(
        await model.draw({ ...size, look: lookNumber(0), swaps: [{ slot: 0, look }] }),
      );
    };
    const seen = [
      await draw('a', low, low),
      await draw('b', high, low),
      await draw('c', low, high),
    ];
    expect(new Set(seen.map(String)).size).toBe(3);
  });

  it('a swapped material shows its colour when its maps cannot be read', async () => {
    const model = await squareModel(paint(red));
    const broken = file('broken.png', Buffer.from('no image'));
    for (const diffuse of [broken, join(folder, 'gone.png')]) {
      const look = { key: diffuse, colorHex: '#0000ff', textures: { diffuse } };
      expect(hueOf(centerOf(await model.draw({ ...size, swaps: [{ slot: 0, look }] })))).toBe(
        'blue',
      );
    }
  });

  it('a swapped material does not affect the next picture without it', async () => {
    const model = await squareModel(paint(red));
    await model.draw({ ...size, swaps: [{ slot: 0, look: plain('#0000ff') }] });
    expect(hueOf(centerOf(await model.draw(size)))).toBe('red');
  });

  it('a swapped material counts towards the memory of the model', async () => {
    const model = await squareModel(paint(red));
    await model.draw(size);
    const before = model.bytes;
    const look = {
      key: 's',
      colorHex: '#000000',
      textures: { diffuse: file('m.png', await flat(9)) },
    };
    await model.draw({ ...size, swaps: [{ slot: 0, look }] });
    expect(model.bytes).toBeGreaterThan(before);
  });
});

describe.skipIf(!hasSharedData)('a real texture set on real models', () => {
  const map = (name: string) => sharedPath(`textures/Metal007/Metal007_1K_${name}.jpg`);
  const metal: MaterialLook = {
    key: 'Metal007',
    colorHex: '#808080',
    textures: {
      diffuse: map('Color'),
      normal: map('Normal'),
      roughness: map('Roughness'),
      metallic: map('Metalness'),
    },
  };

  it.each(['MaterialsVariantsShoe', 'SheenChair'])(
    'a real texture set changes the picture of %s',
    async (name) => {
      const model = await DrawableModel.read(readFileSync(sharedPath(`models/${name}.glb`)), 'glb');
      const options = { look: lookNumber(0), width: 160, height: 120 };
      const swaps = model.scene.materials.map((_, slot) => ({ slot, look: metal }));
      const [own, swapped] = [await model.draw(options), await model.draw({ ...options, swaps })];
      let different = 0;
      for (let at = 0; at < own.data.length; at += 4) {
        const apart = [0, 1, 2].map((c) =>
          Math.abs(Number(own.data[at + c]) - Number(swapped.data[at + c])),
        );
        if (Math.max(...apart) > 16) different += 1;
      }
      expect(different / (160 * 120)).toBeGreaterThan(0.03);
    },
  );
});
