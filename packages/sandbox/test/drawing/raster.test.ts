// Projection and z-buffer, mainly at the near plane.
import { describe, expect, it } from 'vitest';
import { floats, makeGlb, triangle } from '../../../../test/glb/_make-glb.ts';
import type { Camera } from '../../src/drawing/camera.ts';
import {
  createBand,
  projectScene,
  rasterTriangle,
  visitTriangle,
} from '../../src/drawing/raster.ts';
import { readScene, type Scene } from '../../src/scene/scene.ts';

const camera: Camera = {
  position: [0, 0, 10],
  right: [1, 0, 0],
  up: [0, 1, 0],
  back: [0, 0, 1],
  halfWidth: 0.5,
  halfHeight: 0.5,
  near: 0.01,
};
const picture = { width: 40, height: 40 };

function sceneOf(...points: number[]): Promise<Scene> {
  return readScene(makeGlb(triangle().json, floats(...points)), 'glb');
}

function coverage(scene: Scene, cullBack = false): { seen: boolean[][]; pieces: number } {
  const band = createBand(picture.width, picture.height, 1);
  band.triangle.fill(-1);
  const projection = projectScene(scene, camera, picture.width, picture.height);
  let pieces = 0;
  visitTriangle(scene, projection, camera, picture, 0, cullBack, (index, corners) => {
    pieces += 1;
    rasterTriangle(band, index, corners, null);
  });
  const seen = Array.from({ length: picture.height }, (_, y) =>
    Array.from({ length: picture.width }, (__, x) => band.triangle[y * picture.width + x] === 0),
  );
  return { seen, pieces };
}

describe('projection', () => {
  it('a point straight ahead is in the middle, and a higher point is at the top', async () => {
    const scene = await sceneOf(0, 0, 0, 5, 0, 0, 0, 5, 0);
    const { x, y, w } = projectScene(scene, camera, 40, 40);
    expect(Array.from(x)).toEqual([20, 40, 20]);
    expect(Array.from(y)).toEqual([20, 20, 0]);
    expect(Array.from(w)).toEqual([10, 10, 10]);
  });
});

describe('triangles', () => {
  it('triangles cover the samples inside them', async () => {
    const { seen, pieces } = coverage(await sceneOf(-5, -5, 0, 5, -5, 0, -5, 5, 0));
    expect(pieces).toBe(1);
    for (const [y, row] of seen.entries()) {
      for (const [x, is] of row.entries()) {
        if (Math.abs(x - y) > 0) expect({ x, y, is }).toEqual({ x, y, is: x < y });
      }
    }
  });

  it.each([
    ['from the front', [-1, -1, 0, 1, -1, 0, 0, 1, 0], 1],
    ['from the back', [1, -1, 0, -1, -1, 0, 0, 1, 0], 0],
    ['edge-on', [0, -1, 0, 0, 1, 0, 0, 0, 1], 0],
  ])(
    'culling keeps a triangle only if it is seen from the front: %s',
    async (_, points, pieces) => {
      expect(coverage(await sceneOf(...points), true).pieces).toBe(pieces);
    },
  );

  it.each([
    ['all corners in front of the camera', [-1, -1, 0, 1, -1, 0, 0, 1, 0], 1],
    ['all corners behind the camera', [-1, -1, 20, 1, -1, 20, 0, 1, 20], 0],
    ['one corner behind the camera', [-1, -1, 0, 1, -1, 0, 0, 1, 20], 2],
    ['two corners behind the camera', [0, -1, 0, 1, -1, 20, 0, 1, 20], 1],
  ])('a triangle is clipped correctly with %s', async (_, points, pieces) => {
    expect(coverage(await sceneOf(...points)).pieces).toBe(pieces);
  });

  it('triangles that pass under the camera fill the lower half and nothing above the horizon', async () => {
    const floor = await sceneOf(-1000, -1, -1000, 0, -1, 1000, 1000, -1, -1000);
    const { seen } = coverage(floor);
    expect(seen[39]?.every(Boolean)).toBe(true);
    expect(seen[25]?.[20]).toBe(true);
    expect(seen.slice(0, 19).flat().some(Boolean)).toBe(false);
  });

  it('triangles with holes do not write samples in the holes', async () => {
    const scene = await sceneOf(-5, -5, 0, 5, -5, 0, -5, 5, 0);
    const band = createBand(40, 40, 1);
    band.triangle.fill(-1);
    const projection = projectScene(scene, camera, 40, 40);
    visitTriangle(scene, projection, camera, picture, 0, false, (index, corners) => {
      rasterTriangle(band, index, corners, (_, x) => x > 5);
    });
    expect(band.triangle[35 * 40 + 3]).toBe(-1);
    expect(band.triangle[35 * 40 + 8]).toBe(0);
    expect(band.depth[35 * 40 + 3]).toBe(0);
  });

  it('overlapping triangles keep the nearest sample', async () => {
    const band = createBand(4, 4, 1);
    band.triangle.fill(-1);
    const at = (inverse: number) =>
      [
        { x: 0, y: 0, inverse },
        { x: 0, y: 9, inverse },
        { x: 9, y: 0, inverse },
      ] as const;
    rasterTriangle(band, 1, at(0.5), null);
    rasterTriangle(band, 2, at(0.9), null);
    rasterTriangle(band, 3, at(0.7), null);
    expect(new Set(band.triangle)).toEqual(new Set([2]));
  });
});
