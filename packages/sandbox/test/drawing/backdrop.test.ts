// Backdrop and floor: gradient, floor colour and shadow, in linear light.
import { describe, expect, it } from 'vitest';
import { createBackdrop } from '../../src/drawing/backdrop.ts';
import type { Camera } from '../../src/drawing/camera.ts';
import { computeSweptBody } from '../../src/drawing/compute-swept-body.ts';
import { computeDarkness, type FloorShadow } from '../../src/drawing/light/floor-shadow.ts';
import type { Backdrop } from '../../src/drawing/templates.ts';
import type { Scene } from '../../src/scene/scene.ts';

/** A camera one metre above the floor and ten metres in front of the model. It looks straight ahead. */
const camera: Camera = {
  position: [0, 1, 10],
  right: [1, 0, 0],
  up: [0, 1, 0],
  back: [0, 0, 1],
  halfWidth: 0.5,
  halfHeight: 0.5,
  near: 0.01,
};

/** A box with sides of two metres around the origin. */
const scene = { min: [-1, 0, -1], max: [1, 2, 1] } as unknown as Scene;

const cells = 160;
/** An evenly dark floor of 16 × 16 metres around the origin. */
const shadowOf = (dark: number): FloorShadow => ({
  height: 0,
  dark: new Float32Array(cells * cells).fill(dark),
  left: -8,
  back: -8,
  cell: 0.1,
});

function colorAt(
  patch: Partial<Backdrop>,
  [x, y]: readonly [number, number],
  more: { readonly dark?: number; readonly camera?: Camera } = {},
): number[] {
  const backdrop = { top: '#000000', bottom: '#ffffff', floor: null, shadow: 0, ...patch };
  const shadow = shadowOf(more.dark ?? 0);
  const size = { width: 100, height: 100 };
  const color = createBackdrop({ backdrop, camera, shadow, scene, ...size, ...more });
  const out = { red: -1, green: -1, blue: -1, alpha: -1 };
  color(x, y, out);
  expect(out.alpha).toBe(1);
  return [out.red, out.green, out.blue].map((value) => Math.round(value * 1e6) / 1e6);
}

describe('the gradient', () => {
  // The curve is t² (3 - 2 t), which is flat at both ends.
  it.each([
    [0, 0],
    [25, 0.15625],
    [50, 0.5],
    [75, 0.84375],
    [100, 1],
  ])('the gradient at row %d of 100, from black to white, is %d', (y, value) => {
    expect(colorAt({}, [50, y])).toEqual([value, value, value]);
    expect(colorAt({}, [3, y])).toEqual([value, value, value]);
  });

  it('the gradient mixes its two colours', () => {
    expect(colorAt({ top: '#ff0000', bottom: '#0000ff' }, [50, 25])).toEqual([0.84375, 0, 0.15625]);
  });
});

describe('the floor colour', () => {
  const pool = { top: '#ffffff', bottom: '#ffffff', floor: '#000000' };

  // A ray through row y descends (y / 100 - 0.5) per metre, so it meets the floor 1 / that many metres ahead.
  it.each([
    ['ten metres ahead, which is right under the model', [50, 60], 0],
    ['at the horizon', [50, 50], 1],
    ['above the horizon', [50, 40], 1],
    [
      'two metres ahead of the camera, four model widths in front of the model',
      [50, 100],
      1 - Math.exp(-0.35 * 16),
    ],
    ['five metres ahead', [50, 70], 1 - Math.exp(-0.35 * 2.5 ** 2)],
    ['ten metres ahead, two to the side', [70, 60], 1 - Math.exp(-0.35)],
  ] as const)('the floor colour fades with the distance: %s', (_, pixel, left) => {
    const value = Math.round(left * 1e6) / 1e6;
    expect(colorAt(pool, pixel)).toEqual([value, value, value]);
  });

  it('the floor colour is not visible from below the floor', () => {
    // Two metres behind this camera, the backward ray would meet the floor from below.
    const below: Camera = { ...camera, position: [0, -1, 0] };
    expect(colorAt(pool, [50, 100], { camera: below })).toEqual([1, 1, 1]);
  });
});

describe('the shadow', () => {
  const white = { top: '#ffffff', bottom: '#ffffff' };
  it.each([
    ['on the floor', [50, 60], 0.5, 0.4, 0.8],
    ['at full darkness', [50, 60], 1, 1, 0],
    ['in a look without shadows', [50, 60], 0, 1, 1],
    ['above the horizon', [50, 40], 1, 1, 1],
    ['beyond the floor', [100, 55], 1, 1, 1],
  ] as const)('the shadow darkens only the floor: %s', (_, pixel, shadow, dark, light) => {
    expect(colorAt({ ...white, shadow }, pixel, { dark })).toEqual([light, light, light]);
  });

  it('the shadow is smooth between cells, and ends at the edge of the floor', () => {
    const shadow = { ...shadowOf(0), left: 0, back: 0, cell: 1 };
    shadow.dark.set([1, 0, 0.5], 0);
    shadow.dark.set([0.5], cells);
    shadow.dark.set([1], cells * cells - 1);
    // Cells are one metre wide, so the centre of the first is at 0.5.
    const dark = [
      [0.5, 0.5, 1],
      [1, 0.5, 0.5],
      [0.75, 0.5, 0.75],
      [0.5, 1, 0.75],
      [1, 1, 0.375],
      [2, 0.5, 0.25],
      [0.49, 1, 0],
      [1, 0.49, 0],
      [159.25, 159.25, 0.5625],
      [159.5, 159, 0],
      [159, 159.5, 0],
      [999, 999, 0],
    ] as const;
    for (const [x, z, value] of dark) {
      expect([x, z, computeDarkness(shadow, x, z)]).toEqual([x, z, value]);
    }
  });
});

describe('the swept body', () => {
  const bounds = (points: Float32Array) =>
    [0, 1, 2].map((axis) => {
      const values = Array.from(points).filter((_, at) => at % 3 === axis);
      return [Math.min(...values), Math.max(...values)].map(
        (value) => Math.round(value * 1e4) / 1e4,
      );
    });

  it.each([
    [
      'a point',
      [1, 2, 3],
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    ],
    // The body is symmetric around the middle of the bar: 2 metres to each side and to the front.
    [
      'a bar',
      [-1, 0, 5, 3, 0, 5],
      [
        [-1, 3],
        [0, 0],
        [3, 7],
      ],
    ],
    [
      'three points on a line',
      [10, 0, 0, 0, 0, 0, 4, 0, 0],
      [
        [0, 10],
        [0, 0],
        [-5, 5],
      ],
    ],
    [
      'a rectangle of 6 × 8, whose corners are 5 from the middle',
      [0, 0, 0, 6, 1, 0, 6, 0, 8, 0, 1, 8],
      [
        [-2, 8],
        [0, 1],
        [-1, 9],
      ],
    ],
  ])('the swept body covers a full turn of %s', (_, points, expected) => {
    expect(bounds(computeSweptBody(Float32Array.from(points)))).toEqual(expected);
  });

  it('the swept body has no points for a model without points', () => {
    expect(computeSweptBody(new Float32Array(0))).toHaveLength(0);
  });
});
