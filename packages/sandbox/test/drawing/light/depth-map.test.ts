// Depth maps tell how much light reaches a point behind other surfaces.
import { describe, expect, it } from 'vitest';
import { computeLightShare, createDepthMap } from '../../../src/drawing/light/depth-map.ts';
import { computeDarkness, createFloorShadow } from '../../../src/drawing/light/floor-shadow.ts';
import { readScene, type Scene } from '../../../src/scene/scene.ts';
import { authorSquare, square, toGlb } from '../../_author.ts';

const half = Math.SQRT1_2;

// A table top of 2 x 2 metres, and a small distant square that defines the floor.
async function tableTop(height: number): Promise<Scene> {
  const { document, node, material } = authorSquare();
  node.setRotation([-half, 0, 0, half]).setTranslation([0, height, 0]);
  const mesh = document.createMesh().addPrimitive(square(document).setMaterial(material));
  const mark = document.createNode().setMesh(mesh);
  mark.setRotation([-half, 0, 0, half]).setScale([0.01, 0.01, 0.01]).setTranslation([1.5, 0, 1.5]);
  document.getRoot().listScenes()[0]?.addChild(mark);
  return readScene(await toGlb(document), 'glb');
}

describe('lightReaching', () => {
  it.each([
    ['under the table is 0', [0, 0, 0], 0],
    ['on the table is 1', [0, 1, 0], 1],
    ['above the table is 1', [0, 2, 0], 1],
    ['next to the table is 1', [1.3, 0, 0], 1],
    ['far outside the table is 1', [50, 0, 50], 1],
    ['at the edge of the table is a half', [1, 0, 0], 0.5],
  ] as const)('the light %s', async (_, [x, y, z], expected) => {
    const scene = await tableTop(1);
    const map = createDepthMap(scene, [0, 1, 0], 256, () => true);
    expect(computeLightShare(map, x, y, z, 0.01, 2)).toBeCloseTo(expected, 0.5);
  });

  it('parts that cast no shadow are ignored', async () => {
    const map = createDepthMap(await tableTop(1), [0, 1, 0], 64, (part) => part !== 0);
    expect(computeLightShare(map, 0, 0, 0, 0.01, 1)).toBe(1);
  });

  it('the light that reaches a point depends on the direction', async () => {
    const scene = await tableTop(1);
    const slanted = createDepthMap(scene, [half, half, 0], 256, () => true);
    expect(computeLightShare(slanted, -1.5, 0, 0, 0.01, 1)).toBe(0);
    expect(computeLightShare(slanted, 0.5, 0, 0, 0.01, 1)).toBe(1);
  });
});

describe('the shadow on the floor', () => {
  const shadowOf = async (height: number) => {
    const scene = await tableTop(height);
    const key = createDepthMap(scene, [0, 1, 0], 256, () => true);
    return createFloorShadow(
      scene,
      key,
      createDepthMap(scene, [0, -1, 0], 192, () => true),
    );
  };

  it('the shadow is dark under the model, light next to it, and absent far away', async () => {
    const shadow = await shadowOf(0.5);
    expect(computeDarkness(shadow, 0, 0)).toBeGreaterThan(0.5);
    expect(computeDarkness(shadow, 1.5, 0)).toBeLessThan(0.3);
    expect(computeDarkness(shadow, 40, 0)).toBe(0);
    expect(computeDarkness(shadow, Number.NaN, 0)).toBe(0);
  });

  it('the shadow is darker the nearer the model is to the floor', async () => {
    const [low, high] = [await shadowOf(0.02), await shadowOf(1.5)];
    expect(computeDarkness(low, 0, 0)).toBeGreaterThan(computeDarkness(high, 0, 0) + 0.1);
  });
});
