// At any angle, every model fits into the frame, touches the margin and is centred.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Camera, frameCamera } from '../../src/drawing/camera.ts';
import type { Bookmark } from '../../src/drawing/templates.ts';
import { dot, type Vec3 } from '../../src/drawing/vector.ts';

const front: Bookmark = {
  name: 'Main',
  yawDegrees: 0,
  pitchDegrees: 0,
  fovDegrees: 30,
  margin: 0.2,
};
const cube = Float32Array.from(
  [-1, 1].flatMap((x) => [-1, 1].flatMap((y) => [-1, 1].flatMap((z) => [x, y, z]))),
);

// Picture coordinates are between -1 and 1.
function places(points: Float32Array, camera: Camera): { x: number; y: number; depth: number }[] {
  return Array.from({ length: points.length / 3 }, (_, index) => {
    const point = [0, 1, 2].map(
      (axis) => (points[index * 3 + axis] ?? 0) - (camera.position[axis as 0] ?? 0),
    ) as unknown as Vec3;
    const depth = -dot(point, camera.back);
    return {
      x: dot(point, camera.right) / depth / camera.halfWidth,
      y: dot(point, camera.up) / depth / camera.halfHeight,
      depth,
    };
  });
}

describe('frameCamera', () => {
  it('the margin is kept free on the tighter side', () => {
    const seen = places(cube, frameCamera(cube, front, 2));
    expect(Math.max(...seen.map(({ y }) => y))).toBeCloseTo(0.8, 3);
    expect(Math.max(...seen.map(({ x }) => x))).toBeLessThan(0.5);
  });

  it.each([
    [0, [0, 0, 1]],
    [90, [1, 0, 0]],
    [180, [0, 0, -1]],
  ])('the camera looks from yaw %d', (yawDegrees, back) => {
    const camera = frameCamera(cube, { ...front, yawDegrees }, 1);
    camera.back.forEach((value, axis) => expect(value).toBeCloseTo(back[axis] ?? 0, 6));
  });

  it('a camera that looks straight down has finite, perpendicular axes', () => {
    const camera = frameCamera(cube, { ...front, pitchDegrees: 90 }, 1);
    expect(camera.position[1]).toBeGreaterThan(1);
    expect([...camera.right, ...camera.up].every(Number.isFinite)).toBe(true);
    expect(Math.abs(dot(camera.right, camera.up))).toBeLessThan(1e-6);
  });

  it('any point cloud fits into the picture and is centred, at any angle', () => {
    const coordinate = fc.double({ min: -1000, max: 1000, noNaN: true });
    const cloud = fc.array(fc.tuple(coordinate, coordinate, coordinate), {
      minLength: 4,
      maxLength: 40,
    });
    const bookmark = fc.record({
      name: fc.constant('Main'),
      yawDegrees: fc.integer({ min: -360, max: 360 }),
      pitchDegrees: fc.integer({ min: -80, max: 80 }),
      fovDegrees: fc.integer({ min: 5, max: 70 }),
      margin: fc.double({ min: 0, max: 0.6, noNaN: true }),
    });
    fc.assert(
      fc.property(
        cloud,
        bookmark,
        fc.double({ min: 0.4, max: 2.5, noNaN: true }),
        (points, mark, aspect) => {
          const flat = Float32Array.from(points.flat());
          const camera = frameCamera(flat, mark, aspect);
          const seen = places(flat, camera);
          const limit = 1 - mark.margin + 1e-3;
          for (const { x, y, depth } of seen) {
            expect(depth).toBeGreaterThan(camera.near);
            expect(Math.abs(x)).toBeLessThanOrEqual(limit);
            expect(Math.abs(y)).toBeLessThanOrEqual(limit);
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  it.each([
    ['no points', []],
    ['one point', [3, 4, 5]],
    ['a line seen end-on', [0, 0, 0, 0, 0, 9]],
  ])('the camera has a finite position for %s', (_, points) => {
    const camera = frameCamera(Float32Array.from(points), front, 1.5);
    expect(camera.position.every(Number.isFinite)).toBe(true);
    expect(camera.near).toBeGreaterThan(0);
  });
});
