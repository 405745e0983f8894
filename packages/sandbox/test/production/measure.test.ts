// Placement of logos on a captured model: sides, millimetres and markers. The values were computed by hand.
import { describe, expect, test } from 'vitest';
import { measureSlot } from '../../src/production/measure.ts';
import type { Scene } from '../../src/scene/scene.ts';

type Point = readonly [number, number, number];
/** Corners counter-clockwise, as seen from outside. */
type Quad = readonly [Point, Point, Point, Point];

/** One part per entry. Part 0 has material 0, and so on. */
function sceneOf(parts: readonly (readonly Quad[])[]): Scene {
  const quads = parts.flat();
  let first = 0;
  return {
    positions: Float32Array.from(quads.flat(2)),
    normals: new Float32Array(quads.length * 12),
    uv0: null,
    uv1: null,
    colors: null,
    indices: Uint32Array.from(
      quads.flatMap((_, index) => [0, 1, 2, 0, 2, 3].map((corner) => index * 4 + corner)),
    ),
    parts: parts.map((faces, material) => {
      const part = {
        firstTriangle: first,
        triangleCount: faces.length * 2,
        material,
        variantMaterials: new Map<string, number>(),
      };
      first += part.triangleCount;
      return part;
    }),
    materials: [],
    variants: [],
    min: [0, 0, 0],
    max: [0, 0, 0],
    bytes: 0,
  };
}

/** Six faces around the box from `min` to `max`, in metres. */
function box([x0, y0, z0]: Point, [x1, y1, z1]: Point) {
  return {
    front: [
      [x0, y0, z1],
      [x1, y0, z1],
      [x1, y1, z1],
      [x0, y1, z1],
    ],
    back: [
      [x1, y0, z0],
      [x0, y0, z0],
      [x0, y1, z0],
      [x1, y1, z0],
    ],
    left: [
      [x1, y0, z1],
      [x1, y0, z0],
      [x1, y1, z0],
      [x1, y1, z1],
    ],
    right: [
      [x0, y0, z0],
      [x0, y0, z1],
      [x0, y1, z1],
      [x0, y1, z0],
    ],
    above: [
      [x0, y1, z1],
      [x1, y1, z1],
      [x1, y1, z0],
      [x0, y1, z0],
    ],
    below: [
      [x0, y0, z0],
      [x1, y0, z0],
      [x1, y0, z1],
      [x0, y0, z1],
    ],
  } satisfies Record<string, Quad>;
}

const slot = { id: 'slot-1', materialIndex: 1 };
/** 400 mm wide, 600 mm high, 200 mm deep. */
const body = Object.values(box([-0.2, 0, -0.1], [0.2, 0.6, 0.1]));

const measured = (...logo: Quad[]) => measureSlot(sceneOf([body, logo]), [0, 1], slot);

describe('a zone on one side of a box that measures 400 × 600 × 200 mm', () => {
  const zones = box([-0.05, 0.4, -0.1], [0.15, 0.5, 0.1]);
  const sides = box([-0.2, 0.1, -0.02], [0.2, 0.3, 0.06]);
  const ends = box([-0.1, 0, -0.05], [0.1, 0.6, 0.05]);

  // Measured from the left edge in this view, so the back is mirrored.
  test.each([
    ['front', zones.front, { width: 200, height: 100 }, { left: 250, top: 150 }],
    ['back', zones.back, { width: 200, height: 100 }, { left: 150, top: 150 }],
    ['left', sides.left, { width: 80, height: 200 }, { left: 80, top: 400 }],
    ['right', sides.right, { width: 80, height: 200 }, { left: 120, top: 400 }],
  ] as const)(
    'the size of a zone and its distances from the edges are measured in the %s view',
    (view, quad, zoneMm, fromMm) => {
      const placement = measured(quad);
      expect(placement).toMatchObject({ slotId: 'slot-1', zoneMm, fromMm });
      expect(placement.marks.map((mark) => mark.view)).toEqual([view]);
      expect(placement).not.toHaveProperty('hiddenSide');
    },
  );

  test.each(['above', 'below'] as const)(
    'a zone that is %s has only a size, because no view shows it',
    (side) => {
      const quad = ends[side];
      expect(measured(quad)).toEqual({
        slotId: 'slot-1',
        marks: [],
        hiddenSide: side,
        zoneMm: { width: 200, height: 100 },
      });
    },
  );
});

describe('a zone on several sides', () => {
  test('a zone on several sides is measured in the view that shows most of it, which is first', () => {
    // 300 × 500 mm in front, 100 × 500 mm at the left.
    const { front, left } = box([-0.15, 0.05, -0.05], [0.15, 0.55, 0.05]);
    const placement = measured(left, front);
    expect(placement.marks.map(({ view }) => view)).toEqual(['front', 'left']);
    expect(placement.zoneMm).toEqual({ width: 300, height: 500 });
  });

  test('a zone has no mark in a view that shows less than 12 % of it', () => {
    // 400 × 600 = 240,000 mm² in front. At the left 50 × 600 (11.1 %), then 60 × 600 (13.0 %).
    const views = (depth: number) => {
      const { front, left } = box([-0.2, 0, 0], [0.2, 0.6, depth]);
      return measured(front, left).marks.map(({ view }) => view);
    };
    expect(views(0.05)).toEqual(['front']);
    expect(views(0.06)).toEqual(['front', 'left']);
  });

  test('a zone has no marks if the variant does not use the slot', () => {
    const { front } = box([-0.1, 0.1, -0.1], [0.1, 0.3, 0.1]);
    const scene = sceneOf([body, [front]]);
    expect(measureSlot(scene, [0, 0], slot)).toEqual({ slotId: 'slot-1', marks: [] });
    // Another variant assigns the slot to the whole body. Its largest sides are front and back.
    const { marks, zoneMm } = measureSlot(scene, [1, 0], slot);
    expect(marks.map(({ view }) => view)).toEqual(['front', 'back', 'left', 'right']);
    expect(zoneMm).toEqual({ width: 400, height: 600 });
  });
});

describe('marks', () => {
  /** A triangle in the plane of the front with its centre here. Its fourth corner is degenerate. */
  function flag(x: number, y: number, size = 0.03): Quad {
    const top: Point = [x, y + 2 * size, 0.1];
    return [[x - size, y - size, 0.1], [x + size, y - size, 0.1], top, top];
  }

  // The body's 600 mm fill 92 % of the height of a square picture: 100 mm are 0.1533 of it.
  test.each([
    ['the middle', [0, 0.3], { x: 0.5, y: 0.5 }],
    ['further right', [0.1, 0.3], { x: 0.6533, y: 0.5 }],
    ['further left', [-0.1, 0.3], { x: 0.3467, y: 0.5 }],
    ['higher up', [0, 0.5], { x: 0.5, y: 0.1933 }],
    ['lower down', [0, 0.1], { x: 0.5, y: 0.8067 }],
    ['further left and higher up', [-0.15, 0.45], { x: 0.27, y: 0.27 }],
  ] as const)('marks are placed at the centre of the zone: %s', (_title, [x, y], mark) => {
    expect(measured(flag(x, y)).marks).toEqual([{ view: 'front', ...mark }]);
  });

  test('a mark is on the larger part of a zone with a gap', () => {
    const { marks, zoneMm, fromMm } = measured(flag(-0.15, 0.3, 0.02), flag(0.15, 0.3));
    expect(marks).toEqual([{ view: 'front', x: 0.73, y: 0.5 }]);
    // The zone spans both parts: from -170 to 180 mm, with 90 mm from the lowest to the highest corner.
    expect(zoneMm).toEqual({ width: 350, height: 90 });
    expect(fromMm).toEqual({ left: 205, top: 285 });
  });
});
