// Real models drawn at a small size are visible and inside the picture, and their variants and looks differ.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  hasSharedData,
  type ModelRow,
  sharedPath,
  sharedRows,
} from '../../../../test/glb/_shared-data.ts';
import { DrawableModel } from '../../src/drawing/drawable-model.ts';
import type { RawPicture } from '../../src/drawing/pictures/picture.ts';
import { lookNumber, pixelAt } from './_pictures.ts';

const models = sharedRows<ModelRow>('models.jsonl').filter(({ file }) => file.endsWith('.glb'));
const flat = {
  ...lookNumber(0),
  backdrop: { top: '#00ff00', bottom: '#00ff00', floor: null, shadow: 0 },
};
const size = { look: flat, width: 96, height: 54 };

function open(file: string): Promise<DrawableModel> {
  return DrawableModel.read(readFileSync(sharedPath(file)), 'glb');
}

function isBackdrop(picture: RawPicture, x: number, y: number): boolean {
  const [red, green, blue] = pixelAt(picture, x, y);
  return red === 0 && green === 255 && blue === 0;
}

describe.skipIf(!hasSharedData)('real models', () => {
  it.each(models)('$file is fully visible', async ({ file }) => {
    const picture = await (await open(file)).draw(size);
    let covered = 0;
    for (let y = 0; y < 54; y += 1) {
      for (let x = 0; x < 96; x += 1) {
        if (isBackdrop(picture, x, y)) continue;
        covered += 1;
        expect(Math.min(x, y, 95 - x, 53 - y)).toBeGreaterThan(1);
      }
    }
    expect(covered / (96 * 54)).toBeGreaterThan(0.04);
  });

  it('the shoe looks different in each variant', async () => {
    const shoe = await open('models/MaterialsVariantsShoe.glb');
    const average = async (variant: string): Promise<number[]> => {
      const { data } = await shoe.draw({ ...size, variant });
      const sums = [0, 0, 0];
      data.forEach((value, at) => {
        if (at % 4 < 3) sums[at % 4] = (sums[at % 4] ?? 0) + value;
      });
      return sums.map((sum) => Math.round(sum / (96 * 54)));
    };
    const seen = await Promise.all(shoe.scene.variants.map(average));
    expect(new Set(seen.map(String)).size).toBe(3);
  });

  it('the shoe looks different in each of four looks', async () => {
    const shoe = await open('models/MaterialsVariantsShoe.glb');
    const pictures = await Promise.all(
      [0, 1, 2, 3].map((index) => shoe.draw({ ...size, look: lookNumber(index) })),
    );
    expect(new Set(pictures.map(({ data }) => Buffer.from(data).toString('base64'))).size).toBe(4);
  });

  it('the flowers are visible through the glass vase', async () => {
    const vase = await open('models/GlassVaseFlowers.glb');
    const glass = vase.scene.parts.filter(({ material }) => {
      const { transmission = 0, alphaMode } = vase.scene.materials[material] ?? {};
      return transmission > 0 || alphaMode === 'BLEND';
    });
    expect(glass.length).toBe(2);
    const picture = await vase.draw({ ...size, width: 192, height: 108 });
    let green = 0;
    for (let y = 50; y < 80; y += 1) {
      for (let x = 0; x < 192; x += 1) {
        const [red, value, blue] = pixelAt(picture, x, y);
        if (value > red * 1.15 && value > blue * 1.15 && red > 10 && red < 200) green += 1;
      }
    }
    expect(green).toBeGreaterThan(30);
  });
});
